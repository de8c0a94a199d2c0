import type { Coverage, FundingSlice, FundingSync } from '@financing-checkout/contract';
import { sliceStates, syncRequestSchema } from '@financing-checkout/contract';
import { Hono } from 'hono';
import { z } from 'zod';
import type { CheckoutContext } from '../checkout/context.ts';
import { type Clock, isoTime } from '../clock/clock.ts';
import type { RunRow, SliceRow } from '../fundings/books.ts';
import { addDays, Calendar, daysBetween } from '../fundings/calendar.ts';
import type { FundingsSync } from '../fundings/fundings-sync.ts';
import { SyncBusyError } from '../fundings/sync.ts';
import { isSyncing } from '../fundings/under-way.ts';
import { parseBody, parseQuery } from '../http/parse.ts';
import type { Env } from '../http/requests.ts';
import { merchantOrderIdOf } from '../order-key.ts';
import { ProblemError } from '../problem/problem.ts';
import { isOfOneZone, isReadToItsEnd } from '../reconciliation/answers/proof.ts';

const PAGE_SIZE = 100;
const LISTED = 100;
const MAX_DAYS = 4_000;
const NEVER_READ = 'never read';
const isUnread = ({ state }: { state: string }) => state === NEVER_READ;
/** How often those who follow a run hear of it. */
const EVENT_MS = 500;
/** A proxy takes a connection that says nothing for a dead one. */
const SILENT_EVENTS = 30;

export const syncsQuery = z.strictObject({
  /** The `next` of the page before. */
  before: z
    .string()
    .regex(/^\d{1,15}\.[\w-]{1,64}$/, 'must be the "next" of another page')
    .optional(),
});
const day = z.iso.date({ error: 'must be a day, such as 2026-01-31' });
export const slicesQuery = z
  .strictObject({
    from: day.optional(),
    to: day.optional(),
    state: z.enum(sliceStates, { error: `must be one of ${sliceStates.join(', ')}` }).optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    error: 'must not be after to',
    path: ['from'],
  });

export interface SyncRoutesContext extends Pick<
  CheckoutContext,
  'environment' | 'store' | 'clock'
> {
  sync: FundingsSync | undefined;
  /** Aborted when those who follow a run have to be let go. */
  ending: AbortSignal | undefined;
}

/** Routes of the back office for the sync of fundings: runs, their progress, the proof of days. */
export function syncRoutes(ctx: SyncRoutesContext): Hono<Env> {
  const { environment, store, clock, sync, ending } = ctx;
  const app = new Hono<Env>();

  async function findRun(id: string): Promise<RunRow> {
    const run = await store.syncRun(environment, id);
    if (run) return run;
    throw new ProblemError('not-found', { detail: 'There is no sync with this id.' });
  }

  async function look(id: string): Promise<Look> {
    // Asked first: who ends a run gives its lease back after that.
    const isRead = await isSyncing(store.bulk, environment, clock.now());
    return { run: await findRun(id), isRead };
  }

  app.post('/reconciliation/syncs', async (c) => {
    const earliest = addDays(isoTime(clock.now()).slice(0, 10), -MAX_DAYS);
    const range = parseBody(
      c,
      // Another slip in a year: from the first day that is read on, every day has to be proven.
      syncRequestSchema.refine(({ from = earliest }) => from >= earliest, {
        error: `must be ${earliest} or later`,
        path: ['from'],
      }),
    );
    if (!sync) {
      throw new ProblemError('not-found', { detail: 'This companion does not read fundings.' });
    }
    try {
      return c.json(syncRecord(await sync.start(range)), 202);
    } catch (error) {
      if (!(error instanceof SyncBusyError)) throw error;
      throw new ProblemError('sync-busy', {
        detail: 'Follow the one under way: it is the first of GET /reconciliation/syncs.',
        retrySafe: true,
      });
    }
  });

  app.get('/reconciliation/syncs', async (c) => {
    const { before } = parseQuery(c, syncsQuery);
    const rows = await store.syncRuns(
      environment,
      PAGE_SIZE + 1,
      before === undefined ? undefined : placeOf(before),
    );
    const page = rows.slice(0, PAGE_SIZE);
    const last = page.at(-1);
    const more = rows.length > PAGE_SIZE && last !== undefined;
    return c.json({
      syncs: page.map(syncRecord),
      ...(more ? { next: `${last.startedAt}.${last.id}` } : {}),
    });
  });

  app.get('/reconciliation/syncs/:id', async (c) =>
    c.json(syncRecord(await findRun(c.req.param('id')))),
  );

  app.get('/reconciliation/syncs/:id/events', async (c) => {
    const first = await findRun(c.req.param('id'));
    c.header('content-type', 'text/event-stream');
    // nginx would keep events back until they fill a buffer.
    c.header('x-accel-buffering', 'no');
    return c.body(progressEvents(first, () => look(first.id), clock, ending));
  });

  app.get('/reconciliation/slices', async (c) => {
    const { from, to, state } = parseQuery(c, slicesQuery);
    const known = await store.fundingDays(environment);
    const first = from ?? known?.first;
    const last = to ?? known?.last;
    if (first === undefined || last === undefined) return c.json({ slices: [] });
    const slices = await store.fundingSlices(environment, first, last);
    const wanted = slices.filter((slice) => state === undefined || slice.state === state);
    return c.json({ slices: wanted.map(sliceRecord) });
  });

  app.get('/reconciliation/coverage', async (c) => {
    parseQuery(c, z.strictObject({}));
    return c.json(await coverage());
  });
  return app;

  async function coverage(): Promise<Coverage> {
    const zone = sync?.settings.zone ?? 'UTC';
    const [last] = await store.syncRuns(environment, 1);
    const quarantined = await store.quarantinedFundings(environment, LISTED);
    const days = await store.fundingDays(environment);
    const shared = {
      quarantined: quarantined.map(({ id, day, orderKey, reason, seenAt }) => {
        const merchantOrderId = merchantOrderIdOf(orderKey ?? '');
        return {
          id,
          day,
          ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
          reason,
          seenAt: isoTime(seenAt),
        };
      }),
      ...(last === undefined ? {} : { last: syncRecord(last) }),
    };
    if (!days) return { zone, days: 0, unproven: [], unprovenDays: 0, records: 0, ...shared };
    // Up to today: that tomorrow is not proven says nothing yet.
    const now = clock.now();
    const calendar = new Calendar(zone);
    const today = calendar.dayOf(now);
    const to = days.first > today ? days.last : today;
    // A sync that was cut off has not come to all it was to read.
    const first = last !== undefined && last.fromDay < days.first ? last.fromDay : days.first;
    const slices = await store.fundingSlices(environment, first, to);
    const known = new Map(slices.map((slice) => [slice.day, slice]));
    const from = first < addDays(to, -MAX_DAYS) ? addDays(to, -MAX_DAYS) : first;
    const all = daysBetween(from, to);
    const unproven = all.reverse().flatMap((day) => {
      const slice = known.get(day);
      if (slice?.state === 'complete') {
        const isWhole = isOfOneZone(slice, known.get(addDays(day, 1)));
        if (isWhole && isReadToItsEnd(slice, calendar, now)) return [];
        const reason = isWhole
          ? 'read before the day had ended'
          : 'read in another time zone than the day after it';
        return { day, state: 'stale', reason };
      }
      const { state, reason } = slice ?? { state: NEVER_READ, reason: undefined };
      return { day, state, ...(reason === undefined ? {} : { reason }) };
    });
    // What went wrong before what nobody has looked at, each newest first.
    unproven.sort((one, other) => Number(isUnread(one)) - Number(isUnread(other)));
    return {
      zone,
      from,
      to,
      days: all.length,
      unproven: unproven.slice(0, LISTED),
      unprovenDays: unproven.length,
      records: slices.reduce((sum, slice) => sum + slice.rows, 0),
      ...shared,
    };
  }
}

function placeOf(cursor: string): { startedAt: number; id: string } {
  const point = cursor.indexOf('.');
  return { startedAt: Number(cursor.slice(0, point)), id: cursor.slice(point + 1) };
}

/** A run, and whether somebody reads it: one that failed, or whose process died, is not ended. */
interface Look {
  run: RunRow;
  isRead: boolean;
}

/**
 * A run's states as server-sent events ("sync"), each the whole record, until it ends. They are read
 * from the store, so that any replica can tell of a run in another one.
 */
function progressEvents(
  first: RunRow,
  read: () => Promise<Look>,
  clock: Clock,
  ending: AbortSignal = new AbortController().signal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let cancel: () => void = () => undefined;
  let told = '';
  let silent = 0;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const tell = ({ run, isRead }: Look): boolean => {
        const data = JSON.stringify(syncRecord(run));
        if (data !== told) {
          controller.enqueue(encoder.encode(`event: sync\ndata: ${data}\n\n`));
          told = data;
          silent = 0;
        } else if (++silent >= SILENT_EVENTS) {
          controller.enqueue(encoder.encode(': still there\n\n'));
          silent = 0;
        }
        // It goes on in another replica, or after the next start: there it can be followed again.
        if (run.state === 'running' && isRead && !ending.aborted) return true;
        controller.close();
        return false;
      };
      const next = () => {
        cancel = clock.after(EVENT_MS, () => {
          read().then(
            (found) => {
              if (tell(found)) next();
            },
            (error: unknown) => controller.error(error),
          );
        });
      };
      if (tell({ run: first, isRead: true })) next();
    },
    cancel() {
      cancel();
    },
  });
}

/** A run as the API gives it. */
export function syncRecord(run: RunRow): FundingSync {
  return {
    id: run.id,
    state: run.state,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    from: run.fromDay,
    to: run.toDay,
    zone: run.zone,
    startedAt: isoTime(run.startedAt),
    ...(run.endedAt === undefined ? {} : { endedAt: isoTime(run.endedAt) }),
    resumed: run.resumed,
    slices: { planned: run.slicesPlanned, done: run.slicesDone, unproven: run.slicesUnproven },
    records: run.rows,
    changed: run.changed,
    gone: run.gone,
    quarantined: run.quarantined,
  };
}

function sliceRecord(slice: SliceRow): FundingSlice {
  return {
    day: slice.day,
    state: slice.state,
    ...(slice.reason === undefined ? {} : { reason: slice.reason }),
    zone: slice.zone,
    syncId: slice.runId,
    ...(slice.syncedAt === undefined ? {} : { syncedAt: isoTime(slice.syncedAt) }),
    passes: slice.passes,
    pages: slice.pages,
    overlaps: slice.overlaps,
    records: slice.rows,
    quarantined: slice.quarantined,
    sums: slice.sums,
    hash: slice.hash,
  };
}
