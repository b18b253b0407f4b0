"""Reads the files of an export by pandas, pyarrow and DuckDB, and prints what each finds as JSON."""

import datetime
import json
import sys

import duckdb
import pandas
import pyarrow.parquet

folder = sys.argv[1]
found = {}

for table in ["traces", "scores"]:
    path = f"{folder}/{table}"
    arrow = pyarrow.parquet.read_table(path)
    frame = pandas.read_parquet(path)
    sql = duckdb.sql(f"SELECT * FROM read_parquet('{path}/*/*/*.parquet', hive_partitioning = true)")
    rows = {"pandas": frame.to_dict("records"), "pyarrow": arrow.to_pylist()}
    rows["duckdb"] = sql.to_arrow_table().to_pylist()
    found[table] = {"types": {field.name: str(field.type) for field in arrow.schema}, "readers": {}}
    for reader, each in rows.items():
        names = ["trace_id", "name", "cost_usd", "cost_nano_usd"] if table == "traces" else ["trace_id", "name", "number"]
        values = [{name: row[name] for name in names} for row in each]
        for value, row in zip(values, each):
            value["day"] = str(row["day"])
            if table == "traces":
                value["tags"] = list(row["tags"])
                value["started_at"] = row["started_at"].astimezone(datetime.timezone.utc).isoformat()
        found[table]["readers"][reader] = sorted(values, key=lambda value: value["trace_id"])

print(json.dumps(found))
