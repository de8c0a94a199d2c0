import { type ListedImport, withdrawalRequestSchema } from '@financing-checkout/contract';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import {
  parseMapping,
  parseOnly,
  parseSkipRowsWithout,
  parseTypes,
} from '../../imports/columns.ts';
import type { ListedImportFact } from '../../facts/store.ts';
import type { ImportReport } from '../../imports/import-report.ts';
import { MAX_WORKBOOK, workbookTooLarge } from '../../imports/workbook-limits.ts';
import { isoTime } from '@financing-checkout/kit';
import type { LedgerImportOptions } from '../../imports/options.ts';
import type { LedgerFormat } from '../../imports/records.ts';
import { ProblemError } from '../../platform/problem.ts';
import { actorOf } from '../access.ts';
import { clientSignal } from '../client-signal.ts';
import type { Env } from '../env.ts';
import { importsQuery } from '../daily-queries.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { parseBody, parseQuery } from '../parse.ts';
import { importQuery } from '../queries.ts';
import { notWhole } from '../requests.ts';
import { record } from '../trail.ts';
import { explained, fileTypeOf, uploadOf } from '../upload.ts';

/** Path of the ledger. Only the import reads its body. */
export const IMPORT_PATH = '/ledger';
/** Path of the preview, which takes a larger body than other requests. */
export const PREVIEW_PATH = '/ledger/preview';
export const PREVIEW_BYTES = 262_144;
/** Path of the preview of a workbook, which is received in a file. */
export const WORKBOOK_PATH = '/ledger/preview/workbook';
const PAGE_SIZE = 100;

/** Route for the merchant's ledger. */
export function importRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.post(IMPORT_PATH, async (c) => {
    const said = parseQuery(c, importQuery);
    const typed = formats.get(fileTypeOf(c, importTypes));
    const upload = uploadOf(c);
    const leader = await engine.requireLeader();
    return explained(async () => {
      const options = {
        ...optionsOf(said, typed, engine.config.sync.zone),
        by: actorOf(c, said.by),
      };
      const work = () => leader.importLedger(upload, options);
      if (said.dryRun) return c.json(await work());
      const action = {
        kind: said.withdraw ? 'withdrawal' : 'import',
        subject: 'ledger',
        detail: { source: said.source },
        person: said.by,
      } as const;
      return c.json(await record(engine, c, action, work, endOf));
    });
  });

  app.post(PREVIEW_PATH, async (c) => {
    const said = parseQuery(c, importQuery);
    const typed = formats.get(fileTypeOf(c, importTypes));
    const body = await c.req.arrayBuffer().catch(() => {
      throw notWhole();
    });
    return explained(async () =>
      c.json(
        await engine.previews.preview(
          new Uint8Array(body),
          optionsOf(said, typed, engine.config.sync.zone),
          clientSignal(c),
        ),
      ),
    );
  });

  app.post(WORKBOOK_PATH, async (c) => {
    const said = parseQuery(c, importQuery);
    fileTypeOf(c, [WORKBOOK_TYPE]);
    const options = optionsOf(said, undefined, engine.config.sync.zone);
    const signal = clientSignal(c);
    return explained(async () =>
      c.json(
        await engine.workbooks.receive(uploadOf(c), ({ path }) =>
          engine.previews.previewWorkbook(path, options, signal),
        ),
      ),
    );
  });

  app.get('/imports', async (c) => {
    const { before } = parseQuery(c, importsQuery);
    const found = await engine.facts.imports(PAGE_SIZE + 1, before);
    const page = found.slice(0, PAGE_SIZE);
    const last = page.at(-1);
    return c.json({
      imports: page.map(importRecord),
      ...(found.length > PAGE_SIZE && last ? { next: String(last.number) } : {}),
    });
  });

  app.post('/imports/:id/withdrawal', async (c) => {
    const { by, reason } = parseBody(c, withdrawalRequestSchema);
    const key = idempotencyKey(c);
    const leader = await engine.requireLeader();
    return explained(async () => {
      const id = c.req.param('id');
      const work = () => leader.withdrawImport({ id, actor: actorOf(c, by) });
      const action = {
        kind: 'withdrawal',
        subject: id,
        detail: { reason },
        person: by,
        key,
      } as const;
      return c.json(
        await record(engine, c, action, work, ({ withdrawn, kept }) => ({
          outcome: 'done',
          detail: { withdrawn, kept },
        })),
      );
    });
  });
  return app;
}

/** Limits the body of a preview. */
export const limitPreview = bodyLimit({
  maxSize: PREVIEW_BYTES,
  onError: () => {
    throw new ProblemError('request-too-large', {
      detail: `Send the first ${PREVIEW_BYTES} bytes of the file.`,
    });
  },
});

/** Limits what a workbook declares to have. One that declares nothing is limited while it arrives. */
export const limitWorkbook: MiddlewareHandler<Env> = async function limitWorkbook(c, next) {
  if (declaredBytes(c) > MAX_WORKBOOK) {
    throw new ProblemError('request-too-large', { detail: workbookTooLarge().message });
  }
  await next();
};

function declaredBytes(c: Context<Env>): number {
  return Number(c.req.header('content-length') ?? 0);
}

function endOf(report: ImportReport) {
  const { added, withdrawn, replaced, errorCount } = report;
  const outcome = report.applied ? 'done' : 'refused';
  return { outcome, detail: { added, withdrawn, replaced, errorCount } };
}

/** @throws {LedgerImportError} */
function optionsOf(
  { map, types, only, skipRowsWithout, ...query }: z.infer<typeof importQuery>,
  typed: LedgerFormat | undefined,
  businessZone: string,
): LedgerImportOptions {
  return {
    ...query,
    businessZone,
    format: query.format ?? typed,
    mapping: map === undefined ? undefined : parseMapping(map),
    words: types === undefined ? undefined : parseTypes(types),
    only: only === undefined ? undefined : parseOnly(only),
    skipRowsWithout:
      skipRowsWithout === undefined ? undefined : parseSkipRowsWithout(skipRowsWithout),
  };
}

/** Returns an import in the form of the API. */
export function importRecord(fact: ListedImportFact): ListedImport {
  const { action, actor, at, count, id, isWithdrawn, source } = fact;
  return {
    id,
    at: isoTime(at),
    action,
    source,
    actor,
    count,
    isWithdrawn,
  };
}

const formats = new Map<string, LedgerFormat | undefined>([
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  [WORKBOOK_TYPE, undefined],
  // Any of them: the content decides.
  ['application/octet-stream', undefined],
]);
export const importTypes = [...formats.keys()];
