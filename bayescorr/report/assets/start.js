// The last script: everything is declared, so draw it.
lastWidth = document.documentElement.clientWidth;
draw();
document.documentElement.dataset.ready = "yes";
