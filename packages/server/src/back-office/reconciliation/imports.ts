import { Hono } from 'hono';
import { parseQuery } from '../../http/parse.ts';
import { type Env, notWhole } from '../../http/requests.ts';
import { ProblemError } from '../../problem/problem.ts';
import {
  ImportBusyError,
  LedgerImportError,
  parseMapping,
  parseTypes,
} from '../../reconciliation/ledger/columns.ts';
import type { LedgerFormat } from '../../reconciliation/ledger/records.ts';
import { actorOf } from '../access.ts';
import type { ReconciliationRoutesContext } from './context.ts';
import { importQuery } from './queries.ts';

/** Where a ledger is sent; its body is read by the import, and by nothing before it. */
export const IMPORT_PATH = '/reconciliation/ledger';

/** Route of the back office for the merchant's ledger. */
export function importRoutes(ctx: ReconciliationRoutesContext): Hono<Env> {
  const { ledgerImport, changed } = ctx;
  const app = new Hono<Env>();

  app.post(IMPORT_PATH, async (c) => {
    const { by, map, types, ...options } = parseQuery(c, importQuery);
    const typed = formatOf(c.req.header('content-type'));
    const { body } = c.req.raw;
    if (body === null) {
      throw new ProblemError('invalid-request', { detail: 'Send the ledger as the body.' });
    }
    if (ledgerImport === undefined) {
      throw new ProblemError('not-found', { detail: 'This companion takes no ledger in.' });
    }
    try {
      const mapping = map === undefined ? undefined : parseMapping(map);
      const words = types === undefined ? undefined : parseTypes(types);
      const format = options.format ?? typed;
      // Who stops reading leaves the rest to the listener, which throws it away: a body that is
      // cancelled leaves Node a connection that it neither reads from again nor closes.
      const input = arriving(body.values({ preventCancel: true }));
      const report = await ledgerImport.run(input, {
        ...options,
        format,
        mapping,
        words,
        by: options.withdraw ? actorOf(c, by) : undefined,
      });
      if (report.applied) changed();
      return c.json(report);
    } catch (error) {
      if (error instanceof ImportBusyError) {
        throw new ProblemError('import-busy', {
          detail: 'Try again when it has ended: nothing of this one was read.',
          retrySafe: true,
        });
      }
      if (!(error instanceof LedgerImportError)) throw error;
      throw new ProblemError('invalid-request', { detail: error.message });
    }
  });
  return app;
}

/** The pieces of a body; that it breaks off is told as what it is. */
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
  // Whatever it is: the file says.
  ['application/octet-stream', undefined],
]);

/** @throws {ProblemError} `media-type-unsupported`: also what a form of a page could send */
function formatOf(contentType = ''): LedgerFormat | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (formats.has(type)) return formats.get(type);
  throw new ProblemError('media-type-unsupported', {
    detail: `Send a Content-Type of ${[...formats.keys()].join(', ')}.`,
  });
}
