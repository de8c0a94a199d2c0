import { join } from 'node:path';
import {
  type Companion,
  foundIn,
  type Place,
  startCompanion,
  startService,
  type Service,
} from '../../tests/reconciliation/companion.ts';
import { type Grade, grade } from '../../tests/reconciliation/grade.ts';
import { type History, policyOf, truthOf } from '../../tests/reconciliation/history.ts';
import { reportPage } from '../../tests/reconciliation/unrest.ts';

export interface Measured {
  records: number;
  importSeconds: number;
  syncSeconds: number;
  /** From the end of the sync until each order has its status. */
  catchUpSeconds: number;
  /** All orders, none of which has a status: all are computed and written. */
  fullSeconds: number;
  /** All orders again, under another policy, of which nothing changes: all are computed. */
  againSeconds: number;
  /** One order in a hundred changed. */
  incrementalSeconds: number;
  exportSeconds: number;
  parseSeconds: number;
  peakRssMb: number;
  grade: Grade;
}

const PARSED_PAGES = 100;
const PAGE = 1_000;

/** Takes one history through the companion, as it is run by a merchant, and times each step. */
export async function measure(history: History, folder: string, place: Place): Promise<Measured> {
  const service = await startService(history);
  let peakRssMb = 0;
  let policies = 0;

  /** Runs a companion under a policy of its own: another one means that all is computed again. */
  async function withCompanion<Result>(work: (it: Companion) => Promise<Result>): Promise<Result> {
    // A name that no lender has: another policy that judges no order otherwise.
    const aliases = { [`nobody ${policies++}`]: 'Nobody' };
    const companion = await startCompanion({
      folder: join(folder, 'companion'),
      service,
      history,
      policy: { ...policyOf(history), aliases },
      place,
    });
    try {
      return await work(companion);
    } finally {
      peakRssMb = Math.max(peakRssMb, companion.peakMb());
      await companion.program.stop('SIGTERM', 60_000);
    }
  }

  try {
    const first = await withCompanion(async (companion) => {
      const imported = await timed(() => companion.importLedger(history.ledger));
      if (imported.result.added !== history.summary.ledgerLines) {
        throw new Error(`the ledger was not imported: ${JSON.stringify(imported.result)}`);
      }
      await companion.idle();
      say('imported', `${companion.peakMb()} MB`);
      const synced = await timed(() => companion.sync());
      say('synced', `${companion.peakMb()} MB`);
      const { state, records } = synced.result;
      if (state !== 'complete' || records !== history.summary.fundings) {
        throw new Error(`the sync is ${state} with ${records} records`);
      }
      const caughtUp = await timed(() => companion.settled());
      say('caught up', `${companion.peakMb()} MB`);
      return {
        importSeconds: imported.seconds,
        syncSeconds: synced.seconds,
        catchUpSeconds: caughtUp.seconds,
        grade: await grade(truthOf(history), await foundIn(place)),
      };
    });
    say('graded', `${first.grade.planted} planted`, first.grade);

    const orders = await countOf(place, 'order_statuses');
    /** A pass that leaves out or finds something else takes no time that is worth a figure. */
    const sameAsGraded = async (what: string) => {
      const { precision, recall } = await grade(truthOf(history), await foundIn(place));
      const same = precision === first.grade.precision && recall === first.grade.recall;
      if (same && (await countOf(place, 'order_statuses')) === orders) return;
      throw new Error(`${what} says otherwise: precision ${precision}, recall ${recall}`);
    };
    for (const table of ['order_exceptions', 'order_statuses']) {
      // What PostgreSQL deletes stays where it was, and each new row of the same order goes past it.
      const clear = place.url.startsWith('sqlite:') ? 'delete from' : 'truncate';
      await place.ask(`${clear} ${table}`);
    }
    const fullSeconds = await withCompanion(async (companion) => {
      await companion.settledAnew();
      say('computed anew', `${companion.peakMb()} MB`);
      return fullPass(companion);
    });
    await sameAsGraded('the full recompute');
    const last = await withCompanion(async (companion) => {
      await companion.settledAnew();
      const againSeconds = fullPass(companion);
      await sameAsGraded('the recompute of all that stays as it is');
      say('compared', `${companion.peakMb()} MB`);
      const incrementalSeconds = await changeOneInAHundred(companion, place);
      say('changed', `${companion.peakMb()} MB`);
      const exported = await timed(() => exportOrders(companion));
      const orders = await countOf(place, 'order_statuses');
      if (exported.result !== orders) {
        throw new Error(`${exported.result} orders are in the export, of ${orders}`);
      }
      say('exported', `${exported.result} orders, ${companion.peakMb()} MB`);
      return { againSeconds, incrementalSeconds, exportSeconds: exported.seconds };
    });
    const parseSeconds = await parsing(service, history);
    const { fundings: records } = history.summary;
    return { records, ...first, ...last, fullSeconds, parseSeconds, peakRssMb };
  } finally {
    await service.program.stop();
  }
}

async function timed<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; seconds: number }> {
  const started = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - started) / 1000 };
}

function fullPass(companion: Companion): number {
  const pass = companion.passes().find(({ outcome }) => outcome === 'full');
  if (!pass) throw new Error('there was no full recompute');
  return pass.durationMs / 1000;
}

/** Fundings of each hundredth order state one unit more; the passes that compute them are summed. */
async function changeOneInAHundred(companion: Companion, place: Place): Promise<number> {
  const before = companion.passes().length;
  // As the sync does it: the lines and the marks of their orders at once.
  const chosen = `environment = 'sandbox' and order_key like 'order:%07'`;
  const statements = [
    `update fundings set transaction_amount = transaction_amount + 100, net_amount = net_amount + 100 where ${chosen}`,
    `insert into dirty_orders (environment, order_key, generation) select distinct environment, order_key, 1 from fundings where ${chosen}`,
  ];
  const [chosenOrders] = await place.ask(
    `select count(distinct order_key) as orders from fundings where ${chosen}`,
  );
  await place.all(statements);
  await companion.settled();
  const passes = await companion.passesAfter(before);
  const changed = passes.reduce((sum, { count }) => sum + count, 0);
  if (changed === 0 || changed < Number(chosenOrders?.orders)) {
    throw new Error(`${changed} orders came out otherwise, of ${String(chosenOrders?.orders)}`);
  }
  return passes.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
}

async function countOf(place: Place, table: string): Promise<number> {
  const [row] = await place.ask(`select count(*) as rows_in_it from ${table}`);
  return Number(row?.rows_in_it);
}

async function exportOrders(companion: Companion): Promise<number> {
  const response = await companion.office('/reconciliation/exports/orders?format=ndjson');
  let lines = 0;
  if (!response.body) return lines;
  for await (const chunk of response.body) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
}

/** What `JSON.parse` alone takes for as many records as there are. */
async function parsing(service: Service, { summary }: History): Promise<number> {
  let [seconds, read] = [0, 0];
  for (let page = 0; page < PARSED_PAGES && read < summary.fundings; page++) {
    const text = await reportPage(service, { limit: String(PAGE), offset: String(page * PAGE) });
    const started = performance.now();
    const { records } = JSON.parse(text) as { records: unknown[] };
    seconds += (performance.now() - started) / 1000;
    read += records.length;
  }
  return (seconds / read) * summary.fundings;
}

function say(what: string, how: string, { precision, recall }: Partial<Grade> = {}): void {
  const graded = precision === undefined ? '' : `, precision ${precision}, recall ${recall ?? 0}`;
  console.log(`  ${what}: ${how}${graded}`);
}
