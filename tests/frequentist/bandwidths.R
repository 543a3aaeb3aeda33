# Rscript bandwidths.R < differences.txt > bandwidths.csv   (see make_differences.py)
# hpi: the bandwidth; binned: how many observations the binning of KernSmooth let through, which is
# one fewer than there are unless rounding error kept the largest.
suppressMessages(library(ks))
cat(sprintf("# R %s, ks %s, KernSmooth %s\n", getRversion(), packageVersion("ks"),
            packageVersion("KernSmooth")))
cat("case,n,hpi,binned\n")
for (line in readLines("stdin")) {
  part <- strsplit(line, " ")[[1]]
  x <- as.numeric(part[-1])
  scale <- min(diff(quantile(x, c(1, 3) / 4)) / 1.349, sd(x))
  ends <- (range(x) - mean(x)) / scale
  binned <- KernSmooth:::linbin((x - mean(x)) / scale, seq(ends[1], ends[2], length = 401), TRUE)
  cat(sprintf("%s,%d,%.15g,%.0f\n", part[1], length(x), hpi(x), sum(binned)))
}
