import json
import sys


def normalize(surface, tool):
    """Return the tool as you would send it; raise ValueError for one that you do not take."""
    return tool


for line in sys.stdin:
    question = json.loads(line)
    answer = {"id": question["id"]}
    try:
        answer["tool"] = normalize(question["surface"], question["tool"])
    except ValueError as error:
        answer["unsupported"] = str(error)
    except Exception as error:  # what else goes wrong is a fault of the normalizer
        answer["error"] = repr(error)
    print(json.dumps(answer), flush=True)
