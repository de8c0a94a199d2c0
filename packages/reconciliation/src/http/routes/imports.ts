import { Hono } from 'hono';
import type { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import {
  ImportBusyError,
  LedgerImportError,
  parseMapping,
  parseOnly,
  parseTypes,
} from '../../imports/columns.ts';
import type { ImportReport } from '../../imports/import-report.ts';
import type { LedgerImportOptions } from '../../imports/options.ts';
import type { LedgerFormat } from '../../imports/records.ts';
import { ProblemError } from '../../platform/problem.ts';
import { actorOf } from '../access.ts';
import type { Env } from '../env.ts';
import { parseQuery } from '../parse.ts';
import { importQuery } from '../queries.ts';
import { notWhole } from '../requests.ts';
import { record } from '../trail.ts';

/** Path of the ledger. Only the import reads its body. */
export const IMPORT_PATH = '/ledger';

/** Route for the merchant's ledger. */
export function importRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.post(IMPORT_PATH, async (c) => {
    const { by, ...query } = parseQuery(c, importQuery);
    const format = formatOf(c.req.header('content-type'));
    const { body } = c.req.raw;
    if (body === null) {
      throw new ProblemError('invalid-request', { detail: 'Send the ledger as the body.' });
    }
    const leader = await engine.requireLeader();
    const options = optionsOf(query, actorOf(c, by), format);
    // The listener discards the rest of a body. If it were cancelled, Node would neither read from
    // the connection again nor close it.
    const input = arriving(body.values({ preventCancel: true }));
    const work = () => leader.importLedger(input, options).catch(explain);
    if (query.dryRun) return c.json(await work());
    const action = {
      kind: query.withdraw ? 'withdrawal' : 'import',
      subject: 'ledger',
      detail: { source: query.source },
      person: by,
    } as const;
    return c.json(await record(engine, c, action, work, endOf));
  });
  return app;
}

type ImportQuery = Omit<z.infer<typeof importQuery>, 'by'>;

function optionsOf(
  { map, types, only, ...query }: ImportQuery,
  by: string,
  format: LedgerFormat | undefined,
): LedgerImportOptions {
  try {
    return {
      ...query,
      format: query.format ?? format,
      mapping: map === undefined ? undefined : parseMapping(map),
      words: types === undefined ? undefined : parseTypes(types),
      only: only === undefined ? undefined : parseOnly(only),
      by,
    };
  } catch (error) {
    return explain(error);
  }
}

function endOf(report: ImportReport) {
  const { added, withdrawn, replaced, errorCount } = report;
  const outcome = report.applied ? 'done' : 'refused';
  return { outcome, detail: { added, withdrawn, replaced, errorCount } };
}

/** Answers the errors of an import that are the client's. */
function explain(error: unknown): never {
  if (error instanceof ImportBusyError) {
    throw new ProblemError('import-busy', {
      detail: 'Retry when it has ended: this body was not read.',
      retrySafe: true,
      retryAfterSeconds: 5,
    });
  }
  if (!(error instanceof LedgerImportError)) throw error;
  throw new ProblemError('invalid-request', { detail: error.message });
}

/** Yields the pieces of a body, and reports a truncated one. */
async function* arriving(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch {
    throw notWhole();
  }
}

const formats = new Map<string, LedgerFormat | undefined>([
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  // Any of them: the content decides.
  ['application/octet-stream', undefined],
]);
export const importTypes = [...formats.keys()];

/**
 * @throws {ProblemError} `media-type-unsupported`, also for types that a form of a page could send
 */
function formatOf(contentType = ''): LedgerFormat | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (formats.has(type)) return formats.get(type);
  throw new ProblemError('media-type-unsupported', {
    detail: `Send a Content-Type of ${importTypes.join(', ')}.`,
  });
}
