import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Engine } from '../../engine/engine.ts';
import { migrateReport } from '../../migration/migrate.ts';
import { describeError } from '../../platform/describe-error.ts';
import { ProblemError } from '../../platform/problem.ts';
import type { ExportTable } from '../../queries/export-tables.ts';
import type { QueryContext } from '../../queries/reliability.ts';
import { exportFile, type ExportRequest } from '../../queries/exports.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { namesOfLender, stepOf } from '../lender.ts';
import { onlyOnes, parseQuery, parseValue } from '../parse.ts';
import { checkedSpan } from '../period.ts';
import { exportQueries, exportTable, migrationQuery } from '../queries.ts';
import { streamOf } from '../stream.ts';
import { record } from '../trail.ts';

const types = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** Routes for exports of whole tables, and for the comparison of the service's operations. */
export function exportRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/exports/:table', async (c) => {
    const table = exportTable.safeParse(c.req.param('table'));
    if (!table.success) throw new ProblemError('not-found');
    const { data } = engine;
    const query = onlyOnes(c.req.queries());
    const request = await exportRequest(data.context(clientSignal(c)), table.data, query);
    // Completed before the response begins: a failure still gets a status, and a slow client blocks
    // nothing.
    const filters = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
    const detail = { ...Object.fromEntries(filters), format: request.format };
    const action = { kind: 'export', subject: table.data, detail } as const;
    const file = await record(engine, c, action, () =>
      exportFile(data.context(clientSignal(c)), data.files, request),
    );
    return attachment(c, file, types[request.format], `${table.data}.${request.format}`);
  });

  app.get('/migration', async (c) => {
    const window = parseQuery(c, migrationQuery);
    checkedSpan({ ...window, zone: engine.config.sync.zone });
    const signal = clientSignal(c);
    const lines = migrateReport(engine, window, signal);
    // Reads the first line before the response begins: most failures still get a status.
    const action = { kind: 'export', subject: 'migration', detail: window } as const;
    const first = await record(engine, c, action, () => lines.next());
    const text = async function* () {
      if (first.done === true) return;
      yield encoded(first.value);
      for await (const line of lines) yield encoded(line);
    };
    return attachment(c, text(), types.ndjson, 'migration.ndjson');
  });
  return app;

  function attachment(
    c: Context<Env>,
    pieces: AsyncIterable<Uint8Array>,
    type: string,
    file: string,
  ): Response {
    const requestId = c.get('requestId');
    c.header('content-disposition', `attachment; filename="${file}"`);
    const body = streamOf(pieces, (error) => {
      const why = error instanceof ProblemError ? { code: error.code } : describeError(error);
      engine.logger.log('error', 'export-cut-off', { requestId, ...why });
    });
    return c.body(body, 200, { 'content-type': type });
  }

  async function exportRequest(
    context: QueryContext,
    table: ExportTable,
    query: Record<string, unknown>,
  ): Promise<ExportRequest> {
    const { zone: own } = engine.config.sync;
    if (table === 'cases') {
      const parsed = parseValue(exportQueries.cases, query);
      const { format, bom, decimal, zone = own, ...rest } = parsed;
      return { table, format, bom, decimal, zone, query: rest };
    }
    const parsed = parseValue(exportQueries[table], query);
    const { format, bom, decimal, zone = own, lender, from, to, ...rest } = parsed;
    const lenders = await namesOfLender(context, lender);
    const span = checkedSpan({ from, to, zone });
    const step = stepOf(context, 'step' in parsed ? parsed.step : undefined, lender);
    return { table, format, bom, decimal, zone, query: { ...rest, ...span, lenders, step } };
  }
}

function encoded(line: object): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`);
}
