import { lenderNames } from '@financing-checkout/reconciliation-rules';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { isoTime } from '../../clock/clock.ts';
import { onlyOnes, parseQuery, parseValue } from '../../http/parse.ts';
import type { Env } from '../../http/requests.ts';
import { streamText } from '../../http/stream.ts';
import { describeError } from '../../observe/logger.ts';
import { ProblemError } from '../../problem/problem.ts';
import { cashWalk, claimRadar, discountAudit } from '../../reconciliation/answers/money-answers.ts';
import type { SweepContext } from '../../reconciliation/answers/sweep.ts';
import { walkCsv } from '../../reconciliation/answers/walk-csv.ts';
import { walkSvg } from '../../reconciliation/answers/walk-svg.ts';
import { type ExportRequest, exportText } from '../../reconciliation/export/export.ts';
import type { ExportTable } from '../../reconciliation/export/tables.ts';
import { migrateReport } from '../../reconciliation/migrate-report/migrate.ts';
import type { ReconciliationRoutesContext } from './context.ts';
import { exportQueries, exportTable, migrationQuery, partQuery, walkQuery } from './queries.ts';
import { answerTagged } from './tagged.ts';

const DAY_MS = 86_400_000;

/** Routes of the back office for sums over many orders, and for exports of all of them. */
export function answerRoutes(ctx: ReconciliationRoutesContext): Hono<Env> {
  const { environment, store, clock, policy, logger } = ctx;
  const app = new Hono<Env>();

  async function sweep() {
    const now = clock.now();
    const proof = await store.proof(environment, now);
    const quarantined = await store.quarantined(environment);
    const context: SweepContext = { environment, store, policy, now, complete: proof.complete };
    return { context, reliability: { asOf: isoTime(now), ...proof, quarantined } };
  }

  app.get('/reconciliation/walk', async (c) => {
    const { format, decimal, ...part } = parseQuery(c, walkQuery);
    const { context, reliability } = await sweep();
    const walk = {
      ...reliability,
      ...(await cashWalk(context, part).catch(
        tooLarge('a shorter period, one currency or one lender'),
      )),
    };
    if (format === 'json') return answerTagged(c, walk);
    const attachment = (type: string, text: string) => {
      c.header('content-disposition', `attachment; filename="cash-walk.${format}"`);
      return c.body(text, 200, { 'content-type': type });
    };
    return format === 'csv'
      ? attachment('text/csv; charset=utf-8', walkCsv(walk, decimal))
      : attachment('image/svg+xml', walkSvg(walk));
  });

  app.get('/reconciliation/discounts', async (c) => {
    const part = parseQuery(c, partQuery);
    const { context, reliability } = await sweep();
    const rows = await discountAudit(context, part).catch(tooLarge(PART));
    return answerTagged(c, { ...reliability, rows });
  });

  app.get('/reconciliation/radar', async (c) => {
    const part = parseQuery(c, partQuery);
    const { context, reliability } = await sweep();
    const rows = await claimRadar(context, part).catch(tooLarge(PART));
    return answerTagged(c, { ...reliability, rows });
  });

  app.get('/reconciliation/exports/:table', async (c) => {
    const table = exportTable.safeParse(c.req.param('table'));
    if (!table.success) throw new ProblemError('not-found');
    const now = clock.now();
    const request = exportRequest(table.data, onlyOnes(c.req.queries()), now);
    return streamed(c, exportText(store, request, now), {
      type: request.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
      file: `${table.data}.${request.format}`,
    });
  });

  app.get('/reconciliation/migration', (c) => {
    const window = parseQuery(c, migrationQuery);
    const requestId = c.get('requestId');
    return streamed(c, linesOf(migrateReport(ctx, window, requestId)), {
      type: 'application/x-ndjson',
      file: 'migration.ndjson',
    });
  });
  return app;

  function exportRequest(
    table: ExportTable,
    query: Record<string, unknown>,
    now: number,
  ): ExportRequest {
    if (table === 'cases') {
      const { format, bom, decimal, zone, days, ...rest } = parseValue(exportQueries.cases, query);
      const before = days === undefined ? undefined : now - days * DAY_MS + 1;
      const writing = { format, bom, decimal, zone };
      return { table, ...writing, query: { ...rest, environment, before } };
    }
    const { format, bom, decimal, zone, lender, ...rest } = parseValue(exportQueries[table], query);
    const lenders = lender === undefined ? undefined : lenderNames(lender, policy);
    return { table, format, bom, decimal, zone, query: { ...rest, environment, lenders } };
  }

  async function streamed(
    c: Context<Env>,
    pieces: AsyncGenerator<string>,
    { type, file }: { type: string; file: string },
  ): Promise<Response> {
    const requestId = c.get('requestId');
    // The first piece is read before the answer begins: most failures still get a status.
    const first = await pieces.next();
    c.header('content-type', type);
    c.header('content-disposition', `attachment; filename="${file}"`);
    return c.body(
      streamText(first, pieces, (error) => {
        const why = error instanceof ProblemError ? { code: error.code } : describeError(error);
        logger.log('error', 'export-cut-off', { requestId, ...why });
      }),
    );
  }
}

const PART = 'one currency or one lender';

/** What cannot be summed to the unit is not told by the unit; of a part it can be. */
function tooLarge(part: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof RangeError)) throw error;
    const detail = `Its sums are too large to be exact: ask for ${part}.`;
    throw new ProblemError('invalid-request', { detail });
  };
}

async function* linesOf(records: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}
