import { caseStates, exceptionCodes } from '@financing-checkout/contract/reconciliation';
import type { Insertable, Selectable } from 'kysely';
import { z } from 'zod';
import type { CaseEventFact, CaseFact } from './case-facts.ts';
import type { FactTables } from './schema.ts';
import type {
  FundingDay,
  ImportOrigin,
  LedgerImportFact,
  ListedImportFact,
  SyncRun,
} from './store.ts';

type Row<Table extends keyof FactTables> = Selectable<FactTables[Table]>;
type NewRow<Table extends keyof FactTables> = Insertable<FactTables[Table]>;

const dayState = z.enum(['complete', 'stale', 'unproven', 'failed']);
const runState = z.enum(['running', 'complete', 'partial', 'failed']);
const importAction = z.enum(['add', 'withdraw']);
const importSource = z.enum(['import', 'api']);
const exceptionCode = z.enum(exceptionCodes);
const caseState = z.enum(caseStates);
const names = z.array(z.string());

export function toDay(row: Row<'days'>): FundingDay {
  const { day, number, zone, passes, pages, overlaps, count, changed, gone } = row;
  return {
    day,
    number,
    zone,
    passes,
    pages,
    overlaps,
    count,
    changed,
    gone,
    digest: row.digest,
    state: dayState.parse(row.state),
    reason: row.reason ?? undefined,
    syncId: row.sync_id,
    provenAt: row.proven_at ?? undefined,
  };
}

export function fromDay(fact: FundingDay): NewRow<'days'> {
  const { day, number, state, zone, passes, pages, overlaps, count, changed, gone } = fact;
  return {
    day,
    number,
    state,
    zone,
    passes,
    pages,
    overlaps,
    count,
    changed,
    gone,
    digest: fact.digest,
    reason: fact.reason ?? null,
    sync_id: fact.syncId,
    proven_at: fact.provenAt ?? null,
  };
}

export function toRun(row: Row<'sync_runs'>): SyncRun {
  const { id, zone, resumed, records, changed, gone, quarantined } = row;
  return {
    id,
    zone,
    resumed,
    records,
    changed,
    gone,
    quarantined,
    state: runState.parse(row.state),
    reason: row.reason ?? undefined,
    fromDay: row.from_day,
    toDay: row.to_day,
    tiers: row.tiers === 1,
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    daysPlanned: row.days_planned,
    daysDone: row.days_done,
    daysUnproven: row.days_unproven,
  };
}

export function fromRun(run: SyncRun): NewRow<'sync_runs'> {
  const { id, state, zone, resumed, records, changed, gone, quarantined } = run;
  return {
    id,
    state,
    zone,
    resumed,
    records,
    changed,
    gone,
    quarantined,
    reason: run.reason ?? null,
    from_day: run.fromDay,
    to_day: run.toDay,
    tiers: run.tiers ? 1 : 0,
    started_at: run.startedAt,
    ended_at: run.endedAt ?? null,
    days_planned: run.daysPlanned,
    days_done: run.daysDone,
    days_unproven: run.daysUnproven,
  };
}

export function toImport(row: Row<'ledger_imports'>): LedgerImportFact {
  const { id, number, digest, count, at } = row;
  return {
    id,
    number,
    digest,
    count,
    at,
    action: importAction.parse(row.action),
    source: importSource.parse(row.source),
    actor: row.actor ?? undefined,
    origin: toOrigin(row),
  };
}

export function toOrigin(row: Row<'ledger_imports'>): ImportOrigin | undefined {
  const { origin: source, period_from: from, period_to: to } = row;
  if (source === null || from === null || to === null) return undefined;
  return { source, from, to, isStated: row.origin_stated === 1, columns: row.file_columns ?? '' };
}

export function toListedImport(
  row: Row<'ledger_imports'> & { is_withdrawn: number },
): ListedImportFact {
  return { ...toImport(row), isWithdrawn: row.is_withdrawn === 1 };
}

export function toCase(row: Row<'cases'>): CaseFact {
  const { id, number, currency, amount, count, since } = row;
  return {
    id,
    number,
    currency,
    amount,
    count,
    since,
    orderKey: row.order_key,
    code: exceptionCode.parse(row.code),
    contentHash: row.content_hash,
    state: caseState.parse(row.state),
    assignee: row.assignee ?? undefined,
    reason: row.reason ?? undefined,
    openedAt: row.opened_at,
    openSince: row.open_since,
    updatedAt: row.updated_at,
    alertedAt: row.alerted_at ?? undefined,
    snoozedUntil: row.snoozed_until ?? undefined,
    snoozedContent: row.snoozed_content ?? undefined,
    mergedInto: row.merged_into ?? undefined,
    mentions: row.mentions === null ? [] : names.parse(JSON.parse(row.mentions)),
  };
}

export function fromCase(fact: CaseFact): NewRow<'cases'> {
  const { id, number, currency, code, state, amount, count, since } = fact;
  return {
    id,
    number,
    currency,
    code,
    state,
    amount,
    count,
    since,
    order_key: fact.orderKey,
    content_hash: fact.contentHash,
    assignee: fact.assignee ?? null,
    reason: fact.reason ?? null,
    opened_at: fact.openedAt,
    open_since: fact.openSince,
    updated_at: fact.updatedAt,
    alerted_at: fact.alertedAt ?? null,
    snoozed_until: fact.snoozedUntil ?? null,
    snoozed_content: fact.snoozedContent ?? null,
    merged_into: fact.mergedInto ?? null,
    mentions: fact.mentions.length === 0 ? null : JSON.stringify(fact.mentions),
  };
}

export function toEvent(row: Row<'case_events'>): CaseEventFact {
  const { seq, number, at, kind, actor, detail, previous, hash } = row;
  const key = row.key ?? undefined;
  return { seq, number, caseId: row.case_id, at, kind, actor, detail, previous, hash, key };
}
