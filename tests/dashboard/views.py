"""W&B as far as workspaces and reports are kept there: each is a view with an id."""

import re
from typing import Any

from wandb_server import answer


class Views:
    """Answers a server's queries, and remembers what was saved.

    Args:
        projects: names of those that are there.
    """

    def __init__(self, *projects: str) -> None:
        self.projects = projects
        self.saved: dict[str, dict[str, Any]] = {}
        """By id."""

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Those of a kind: ``project-view`` is a workspace, ``runs`` a report."""
        return [each for each in self.saved.values() if each["type"] == kind]

    def __call__(self, query: dict[str, Any]) -> dict[str, Any]:
        given = query.get("variables") or {}
        operation = re.match(r"\s*(?:query|mutation)\s+(\w+)", query.get("query", ""))
        match operation and operation[1]:
            case "UpsertView2" | "upsertView":
                data = {"upsertView": {"view": self._save(given), "inserted": True}}
            case "View":
                found = [each for each in self.saved.values() if each["name"] == given["viewName"]]
                data = {"project": {"allViews": {"edges": [{"node": each} for each in found]}}}
            case "SpecificReport":
                data = {"view": self.saved.get(given["reportId"])}
            case "ProjectInternalId":
                there = given["projectName"] in self.projects
                data = {"project": {"id": "2", "internalId": "2"} if there else None}
            case "GetProjects":
                page = {"__typename": "PageInfo", "endCursor": None, "hasNextPage": False}
                edges = [{"node": _project(name)} for name in self.projects]
                data = {"models": {"pageInfo": page, "edges": edges}}
            case "GetDefaultEntity":
                data = {"viewer": {"id": "1", "entity": "me"}}
            case _:
                return answer(query)
        return {"data": data}

    def _save(self, given: dict[str, Any]) -> dict[str, Any]:
        # Four letters, as what is encoded in base 64 has.
        number = given.get("id") or f"Vi{len(self.saved):02}"
        owner = {"id": "2", "name": given["projectName"], "entityName": given["entityName"]}
        copied = {key: given[key] for key in ("name", "displayName", "description", "type", "spec")}
        self.saved[number] = {"id": number, "project": owner, **copied}
        return self.saved[number]


def _project(name: str) -> dict[str, Any]:
    return {
        "__typename": "Project",
        "id": "2",
        "name": name,
        "entityName": "me",
        "createdAt": "2026-01-01T00:00:00",
        "isBenchmark": False,
        "user": None,
    }
