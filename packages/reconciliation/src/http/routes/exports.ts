import type { Context } from 'hono';
import { Hono } from 'hono';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import type { Engine } from '../../engine/engine.ts';
import { migrateReport } from '../../migration/migrate.ts';
import { describeError } from '../../platform/log.ts';
import { Places } from '../../platform/places.ts';
import { ProblemError } from '../../platform/problem.ts';
import type { ExportTable } from '../../queries/export-tables.ts';
import type { ExportRequest } from '../../queries/export-rows.ts';
import { exportFile } from '../../queries/exports.ts';
import { listColumns, type ListTable } from '../../queries/list-tables.ts';
import type { QueryContext } from '../../queries/reliability.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { namesOfLender, stepOf } from '../lender.ts';
import { onlyOnes, parseQuery, parseValue } from '../parse.ts';
import { checkedSpan } from '../period.ts';
import { exportList } from '../lists/export-list.ts';
import { exportQueries, exportTable, listQueries, migrationQuery } from '../queries.ts';
import { SlowClientError, streamOf } from '../stream.ts';
import { record } from '../trail.ts';

const types = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: WORKBOOK_TYPE,
};

/** Maximum milliseconds for the download of an export. */
const LONGEST_MS = 1_800_000;
/** Maximum number of exports at the same time, from the request to the last byte. */
const OF_ONE_TOKEN = 2;
const OF_ALL_TOKENS = 8;

/** An export whose query is valid. */
interface PreparedExport {
  format: keyof typeof types;
  write: () => Promise<AsyncIterable<Uint8Array> & { destroy(): void }>;
}

interface Attachment {
  type: string;
  /** Name of the file. */
  name: string;
  longestMs?: number;
  onEnd: () => void;
}

/** Routes for exports of whole tables, and for the comparison of the service's operations. */
export function exportRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();
  const places = new Places({
    ofOne: OF_ONE_TOKEN,
    ofAll: OF_ALL_TOKENS,
    retryAfterSeconds: 10,
    oneIsFull: `This token has ${OF_ONE_TOKEN} exports already: retry when one of them has been downloaded.`,
    allIsFull: 'Too many exports are running: retry in a moment.',
  });

  app.get('/exports/:table', async (c) => {
    const table = exportTable.safeParse(c.req.param('table'));
    if (!table.success) throw new ProblemError('not-found');
    const { data } = engine;
    const query = onlyOnes(c.req.queries());
    const leave = places.take(c.get('actor'));
    try {
      const signal = clientSignal(c);
      const { format, write } = isList(table.data)
        ? listExport(signal, table.data, query)
        : await tableExport(data.exportContext(signal), table.data, query);
      const type = types[format];
      const name = `${table.data}.${format}`;
      if (c.req.method === 'HEAD') return headOf(c, type, name, leave);
      // Completed before the response begins: a failure still gets a status, and a slow client
      // occupies no connection of the database.
      const filters = Object.entries(query).map(([key, value]) => [key, String(value)] as const);
      const detail = { ...Object.fromEntries(filters), format };
      const action = { kind: 'export', subject: table.data, detail } as const;
      const file = await record(engine, c, action, write);
      const onEnd = () => {
        file.destroy();
        leave();
      };
      return attachment(c, file, { type, name, longestMs: LONGEST_MS, onEnd });
    } catch (error) {
      leave();
      throw error;
    }
  });

  app.get('/migration', async (c) => {
    const window = parseQuery(c, migrationQuery);
    checkedSpan({ ...window, zone: engine.config.sync.zone });
    const signal = clientSignal(c);
    const name = 'migration.ndjson';
    const leave = places.take(c.get('actor'));
    try {
      if (c.req.method === 'HEAD') return headOf(c, types.ndjson, name, leave);
      const { config, data, source } = engine;
      const context = { config, source, data: { database: data.database.exports } };
      const lines = migrateReport(context, window, signal);
      // Reads the first line before the response begins: most failures still get a status.
      const action = { kind: 'export', subject: 'migration', detail: window } as const;
      const first = await record(engine, c, action, () => lines.next());
      const text = async function* () {
        if (first.done === true) return;
        yield encoded(first.value);
        for await (const line of lines) yield encoded(line);
      };
      return attachment(c, text(), { type: types.ndjson, name, onEnd: leave });
    } catch (error) {
      leave();
      throw error;
    }
  });
  return app;

  function attachment(
    c: Context<Env>,
    pieces: AsyncIterable<Uint8Array>,
    { type, name, ...rest }: Attachment,
  ): Response {
    const requestId = c.get('requestId');
    c.header('content-disposition', dispositionOf(name));
    const onFailure = (error: unknown) => {
      const why = error instanceof ProblemError ? { code: error.code } : describeError(error);
      const level = error instanceof SlowClientError ? 'warn' : 'error';
      engine.logger.log(level, 'export-cut-off', { requestId, ...why });
    };
    const body = streamOf(pieces, { ...rest, clock: engine.clock, onFailure });
    return c.body(body, 200, { 'content-type': type });
  }

  function listExport(
    signal: AbortSignal,
    table: ListTable,
    query: Record<string, unknown>,
  ): PreparedExport {
    const {
      format,
      bom,
      decimal,
      times,
      zone = engine.config.sync.zone,
      ...filter
    } = parseValue(listQueries[table], query);
    const writing = { format, bom, decimal, times, zone };
    const write = () => exportList({ engine, signal, zone }, table, filter, writing);
    return { format, write };
  }

  async function tableExport(
    context: QueryContext,
    table: ExportTable,
    query: Record<string, unknown>,
  ): Promise<PreparedExport> {
    const request = await exportRequest(context, table, query);
    return {
      format: request.format,
      write: () => exportFile(context, engine.data.files, request),
    };
  }

  async function exportRequest(
    context: QueryContext,
    table: ExportTable,
    query: Record<string, unknown>,
  ): Promise<ExportRequest> {
    const { zone: own } = engine.config.sync;
    if (table === 'cases') {
      const parsed = parseValue(exportQueries.cases, query);
      const { format, bom, decimal, times, zone = own, ...rest } = parsed;
      return { table, format, bom, decimal, times, zone, query: rest };
    }
    const parsed = parseValue(exportQueries[table], query);
    const { format, bom, decimal, times, zone = own, lender, from, to, orderKey, ...rest } = parsed;
    const lenders = await namesOfLender(context, lender);
    const span = checkedSpan({ from, to, zone });
    const step = stepOf(context, 'step' in parsed ? parsed.step : undefined, lender);
    const orderKeys = orderKey === undefined ? undefined : [orderKey];
    const selected = { ...rest, ...span, orderKeys, lenders, step };
    return { table, format, bom, decimal, times, zone, query: selected };
  }
}

function isList(table: ExportTable | ListTable): table is ListTable {
  return table in listColumns;
}

function dispositionOf(name: string): string {
  return `attachment; filename="${name}"`;
}

/** Answers HEAD without making a file. */
function headOf(c: Context<Env>, type: string, name: string, leave: () => void): Response {
  leave();
  return c.body(null, 200, {
    'content-type': type,
    'content-disposition': dispositionOf(name),
  });
}

function encoded(line: object): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`);
}
