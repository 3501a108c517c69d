/** An account as the collector sees it: takes steps of the fetch schedule and returns rows. */
import type { Priority } from "../core/fetching/fetch-types.ts";
import type { Share } from "../core/fetching/rate-limit.ts";
import type { Account } from "../service/client/account.ts";
import type { FetchPort } from "../service/client/collector.ts";
import type { OperationId } from "../service/contract/operations.ts";
import { operationIdOf, paramsOf, takeApart } from "../service/contract/series-mapping.ts";
import type { SeriesRepository } from "./series-repository.ts";

export function fetchPortOf(account: Account, repository: SeriesRepository): FetchPort {
  return {
    notBefore: (series, priority, now) =>
      account.notBefore(operationIdOf(series), paramsOf(series, undefined), shareOf(priority), now),
    rest: (heldUntil, now) => account.rest(heldUntil, now),
    async ask(step) {
      const operation = operationIdOf(step.series);
      const params = paramsOf(step.series, step.range);
      const inquiry = {
        operation,
        params,
        share: shareOf(step.priority),
        seriesId: repository.idOf(step.series),
        range: step.range ?? null,
      };
      const reply = await account.ask<OperationId>(inquiry);
      if (reply.kind !== "ok") return reply;
      const { rows, envelope } = takeApart(operation, reply.body);
      const allRows = repository.withStored(step.series, rows, reply.dropped);
      return { kind: "answered", rows: allRows, envelope, requestId: reply.requestId };
    },
  };
}

/** Returns the share of the quota. Prices may use all of it; back-fill leaves room for all other scheduled requests. */
export function shareOf(priority: Priority): Share {
  if (priority === "today" || priority === "tomorrow") return "prices";
  return priority === "backfill" ? "backfill" : "poll";
}
