"""Which dataset a message is about, where the tables hold more than one."""

from ycsbook.anomalies.evidence import Evidence


def of_dataset(evidence: Evidence, dataset: str) -> str:
    """`dataset: ` to begin a message with; empty where all runs are of one dataset."""
    return f"{dataset or 'unnamed dataset'}: " if evidence.tables.runs["dataset"].nunique() > 1 else ""
