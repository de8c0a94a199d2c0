import { migrationLineSchema } from '@financing-checkout/contract/reconciliation';
import { queryOf } from '@financing-checkout/kit/http';
import { Hono } from 'hono';
import { z } from 'zod';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import type { Engine } from '../../engine/engine.ts';
import { migrateReport } from '../../migration/migrate.ts';
import { ProblemError } from '../../platform/problem.ts';
import type { ExportTable } from '../../queries/exports/export-tables.ts';
import type { ExportRequest } from '../../queries/exports/export-rows.ts';
import { caseOrder } from '../../queries/cases/case-order.ts';
import { exportFile } from '../../queries/exports/exports.ts';
import type { QueryContext } from '../../queries/basis/reliability.ts';
import { type Env, clientSignal, parseValue, serve } from '../context.ts';
import type { FileAnswers } from '../file-answers.ts';
import { namesOfLender, selectedOf, stepOf } from '../lender.ts';
import { caseSpans, checkedSpan } from '../period.ts';
import { reading } from '../operation.ts';
import { exportQueries, exportQuery, exportTable, migrationQuery } from '../queries.ts';

export const exportOperations = {
  table: reading('/exports/:table', 'Export a table', z.string(), {
    description:
      'Orders, exceptions, cases and lines, whole. Each other list is a file of its own route, with `format`, but not Parquet. NDJSON has the fields of the API in each record, with null for what the API omits, and without the sentences, which `GET /orders/{orderKey}` has. An .xlsx has times of `zone` as dates, amounts as numbers with the decimals of their currency (as text beyond 15 digits, which a spreadsheet would round), and further sheets beyond 1,048,576 rows. CSV (RFC 4180) contains no cell that a spreadsheet would run as a formula; with `decimal=comma` amounts have decimal commas, and semicolons separate the values. `bom` adds a byte order mark, which Excel needs. With `times=spreadsheet` times are local times of `zone`, such as `2026-11-01 14:03:05`, which a spreadsheet reads as dates; in lines, `utc_offset` then tells a repeated hour from the first one. A truncated response ends with a transfer error and is incomplete. A token has two exports at a time, and all tokens eight; a client that reads nothing for 30 seconds is cut off.',
    query: exportQuery,
    budgets: ['exports'],
    answers: {
      200: {
        contentTypes: [
          'text/csv',
          'application/x-ndjson',
          'application/vnd.apache.parquet',
          WORKBOOK_TYPE,
        ],
      },
    },
    problems: ['not-found', 'overloaded', 'rate-limited'],
  }),
  migration: reading(
    '/migration',
    'Comparison of the report and both records operations',
    z.string(),
    {
      description:
        'One JSON object per line (NDJSON), orders first; the last line is the summary. Without it the response is truncated.',
      priorities: ['report'],
      budgets: ['exports'],
      query: migrationQuery,
      answers: { 200: { contentTypes: ['application/x-ndjson'], schema: migrationLineSchema } },
      problems: ['companion-unavailable', 'overloaded', 'rate-limited'],
    },
  ),
};

/** Routes for exports of whole tables, and for the comparison of the service's operations. */
export function exportRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, exportOperations.table, async (c) => {
    const table = exportTable.safeParse(c.req.param('table'));
    if (!table.success) throw new ProblemError('not-found');
    const query = queryOf(c);
    const context = engine.data.exportContext(clientSignal(c));
    const request = await exportRequest(context, table.data, query);
    const { format } = request;
    const open = () => exportFile(context, engine.data.files, request);
    return answerFile(c, { name: table.data, format, detail: query, open });
  });

  serve(app, exportOperations.migration, async (c, input) => {
    const window = input.query();
    const { config, data, source } = engine;
    checkedSpan({ ...window, zone: config.sync.zone });
    const context = { config, source, data: { database: data.database.exports } };
    const signal = clientSignal(c);
    const open = async () => {
      const lines = migrateReport(context, window, signal);
      // Reads the first line before the response begins, so that most failures still get a status.
      const first = await lines.next();
      const text = async function* () {
        if (first.done === true) return;
        yield encoded(first.value);
        for await (const line of lines) yield encoded(line);
      };
      return text();
    };
    const file = { name: 'migration', format: 'ndjson', detail: window } as const;
    return answerFile(c, { ...file, isUnlimited: true, open });
  });
  return app;

  async function exportRequest(
    context: QueryContext,
    table: ExportTable,
    query: Record<string, unknown>,
  ): Promise<ExportRequest> {
    const { zone: own } = engine.config.sync;
    if (table === 'cases') {
      const parsed = parseValue(exportQueries.cases, query);
      const { format, bom, decimal, times, zone = own, sort, direction, ...other } = parsed;
      const { from, to, begunTo, lender, ...rest } = other;
      const order = caseOrder(sort, direction);
      const selected = {
        ...rest,
        ...caseSpans({ from, to, begunTo, zone }),
        lenders: await namesOfLender(context, lender),
      };
      return { table, format, bom, decimal, times, zone, query: selected, order };
    }
    const parsed =
      table === 'lines'
        ? { ...parseValue(exportQueries.lines, query), ...noShares }
        : parseValue(exportQueries[table], query);
    const {
      format,
      bom,
      decimal,
      times,
      zone = own,
      lender,
      from,
      to,
      orderKey,
      ...other
    } = parsed;
    const { claim, verdict, due, lenderUnknown, step, ...more } = other;
    const { discount, productType, promoCode, agreedFrom, ...rest } = more;
    const row = { discount, productType, promoCode, agreedFrom };
    const span = checkedSpan({ from, to, zone });
    const selected = {
      ...rest,
      ...span,
      orderKeys: orderKey === undefined ? undefined : [orderKey],
      lenders: await namesOfLender(context, lender),
      step: stepOf(context, step, lender),
      selected: await selectedOf(
        context,
        { claim, verdict, due, lender, lenderUnknown, step, ...row },
        span,
      ),
    };
    return { table, format, bom, decimal, times, zone, query: selected };
  }
}

/** The empty share columns of a line. */
const noShares = {
  claim: undefined,
  verdict: undefined,
  discount: undefined,
  productType: undefined,
  promoCode: undefined,
  agreedFrom: undefined,
  due: undefined,
  lenderUnknown: undefined,
  step: undefined,
};

function encoded(line: object): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`);
}
