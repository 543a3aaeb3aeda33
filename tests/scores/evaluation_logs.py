"""Write folders of evaluation logs in the shapes of the tools that write them, from a table.

Scores are items by systems, with item labels task/item.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

SYSTEMS = ["meta/llama-8b", "meta/llama-70b", "qwen/qwen-7b"]
TASKS = {"gsm8k": 6, "arc_challenge": 5, "mmlu_law": 4}


def table(seed: int = 1, grades: tuple[float, ...] = (0.0, 1.0)) -> pd.DataFrame:
    """Return scores of three systems on three tasks; no line is a summary of the others."""
    rng = np.random.default_rng(seed)
    items = [f"{task}/{i}" for task, size in TASKS.items() for i in range(size)]
    values = rng.choice(grades, (len(items), len(SYSTEMS)))
    values[0], values[-1] = (1, 0, 0), (0, 1, 0)
    return pd.DataFrame(values, items, SYSTEMS)


def by_task(scores: pd.DataFrame):
    """Yield system, task, and the scores by item."""
    tasks = scores.index.str.partition("/").get_level_values(0)
    for system in scores.columns:
        for task in dict.fromkeys(tasks):
            column = scores.loc[tasks == task, system]
            yield system, task, column.set_axis(column.index.str.removeprefix(f"{task}/"))


def write_lm_eval(
    scores: pd.DataFrame, folder: Path, measure: str = "acc", filters: tuple[str, ...] = ("none",)
) -> Path:
    """Write samples_*.jsonl as ``lm_eval --log_samples`` does, and the results beside them."""
    for system, task, column in by_task(scores):
        model = folder / system.replace("/", "__")
        model.mkdir(parents=True, exist_ok=True)
        date = "2025-03-01T10-11-12.345678"
        results = {"results": {task: {f"{measure},none": 0.5}}, "model_name": system}
        (model / f"results_{date}.json").write_text(json.dumps(results))
        lines = [
            {
                "doc_id": int(item),
                "doc": {"question": f"Question {item}?", "choices": ["a", "b"]},
                "target": "1",
                "arguments": {"gen_args_0": {"arg_0": f"Question {item}?", "arg_1": " a"}},
                "resps": [[["-1.5", "False"]], [["-0.5", "True"]]],
                "filtered_resps": [["-1.5", "False"], ["-0.5", "True"]],
                "filter": name,
                "metrics": [measure, "acc_norm", "perplexity"],
                "doc_hash": "d0",
                "prompt_hash": "p0",
                "target_hash": "t0",
                measure: score if name == filters[0] else 0.0,
                "acc_norm": 1.0 - score,
                "perplexity": [-1.5, 7],
            }
            for item, score in column.items()
            for name in filters
            if not np.isnan(score)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (model / f"samples_{task}_{date}.jsonl").write_text(text)
    return folder


def write_inspect(scores: pd.DataFrame, folder: Path, epochs: int = 1) -> Path:
    """Write logs as ``inspect log convert --to json`` does."""
    grades = {0.0: "I", 0.5: "P", 1.0: "C"}
    folder.mkdir(parents=True, exist_ok=True)
    for system, task, column in by_task(scores):
        samples = [
            {
                "id": item,
                "epoch": epoch,
                "input": f"Question {item}?",
                "target": "a",
                "messages": [{"role": "user", "content": "?"}],
                "output": {"model": system, "choices": []},
                "scores": {"match": {"value": grades[score], "answer": "a", "explanation": "a"}},
            }
            for epoch in range(1, epochs + 1)
            for item, score in column.items()
        ]
        log = {
            "version": 2,
            "status": "success",
            "eval": {
                "run_id": "r1",
                "created": "2025-03-01T10:11:12+00:00",
                "task": f"inspect_evals/{task}",
                "task_id": "t1",
                "model": system,
                "config": {"epochs": epochs},
            },
            "results": {"total_samples": len(samples), "scores": [{"name": "match"}]},
            "samples": samples,
        }
        name = f"2025-03-01T10-11-12+00-00_{task}_{system.replace('/', '-')}.json"
        (folder / name).write_text(json.dumps(log, indent=2))
    return folder


def samples_frame(scores: pd.DataFrame, epochs: int = 1) -> pd.DataFrame:
    """Return samples as Inspect's samples_df does, with EvalTask and EvalModel columns."""
    grades = {0.0: "I", 0.5: "P", 1.0: "C"}
    return pd.DataFrame(
        {
            "sample_id": f"{system}{task}{item}{epoch}",
            "eval_id": f"{system}{task}",
            "log": f"logs/{system}.eval",
            "task_name": task,
            "model": system,
            "id": item,
            "epoch": epoch,
            "input": "Question?",
            "target": "a",
            "score_match": grades[score],
            "model_usage": "{}",
            "total_time": 1.5,
            "error": "",
        }
        for system, task, column in by_task(scores)
        for epoch in range(1, epochs + 1)
        for item, score in column.items()
    )


def write_helm(scores: pd.DataFrame, folder: Path) -> Path:
    """Write runs as ``helm-run`` does, with perturbed and validation instances beside."""

    def stat(name, value, split="test", **more):
        name = {"name": name, "split": split, **more}
        numbers = {"count": 1, "sum": value, "min": value, "max": value, "mean": value}
        return {"name": name, **numbers}

    typos = {"name": "typos", "robustness": True, "fairness": False}
    for system, task, column in by_task(scores):
        name = f"mmlu:subject={task},method=multiple_choice,model={system.replace('/', '_')}"
        run = folder / "runs" / "v1" / name
        run.mkdir(parents=True)
        instances = [
            {
                "instance_id": f"id{item}",
                "train_trial_index": 0,
                "stats": [stat("num_references", 4.0), stat("exact_match", score)],
            }
            for item, score in column.items()
        ]
        perturbed = {"perturbation": typos, "train_trial_index": 0}
        instances += [
            {"instance_id": "id0", **perturbed, "stats": [stat("exact_match", 0.5, **perturbed)]},
            {"instance_id": "id99", "stats": [stat("exact_match", 1.0, split="valid")]},
        ]
        (run / "per_instance_stats.json").write_text(json.dumps(instances, indent=2))
        spec = {"name": name, "adapter_spec": {"model": system, "method": "multiple_choice"}}
        (run / "run_spec.json").write_text(json.dumps(spec))
    return folder


def write_mteb(scores: pd.DataFrame, folder: Path, older: bool = False) -> Path:
    """Write results as mteb does; items are tasks, with two subsets each."""
    for system in scores.columns:
        model = folder / "results" / system.replace("/", "__") / "abc123"
        model.mkdir(parents=True)
        if not older:
            meta = {"name": system, "revision": "abc123", "n_parameters": 1}
            (model / "model_meta.json").write_text(json.dumps(meta))
        for item, score in scores[system].items():
            task = str(item).replace("/", "-")
            subsets = [
                {"hf_subset": name, "languages": [name], "main_score": x, "ndcg_at_10": x / 2}
                for name, x in (("eng", score - 0.125), ("deu", score + 0.125))
            ]
            document = {
                "dataset_revision": "r",
                "task_name": task,
                "mteb_version": "2.0.0",
                "scores": {"test": subsets, "validation": [{"main_score": 9.0}]},
                "evaluation_time": 1.0,
            }
            if older:
                subsets = {x["hf_subset"]: {"main_score": x["main_score"]} for x in subsets}
                document = {
                    "dataset_revision": "r",
                    "mteb_dataset_name": task,
                    "mteb_version": "1.1.1",
                    "test": {**subsets, "evaluation_time": 2.0},
                }
            (model / f"{task}.json").write_text(json.dumps(document))
    return folder
