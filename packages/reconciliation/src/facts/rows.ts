import type { Insertable, Selectable } from 'kysely';
import { z } from 'zod';
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
