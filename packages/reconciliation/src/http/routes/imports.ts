import {
  importListOperations,
  ledgerImportSchema,
  ledgerPreviewSchema,
  type ListedImport,
  withdrawalRequestSchema,
  withdrawalSchema,
  keyHeader,
  type LedgerImportRecord,
} from '@financing-checkout/contract/reconciliation';
import { actorOf, incompleteBody } from '@financing-checkout/kit/http';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Engine } from '../../engine/engine.ts';
import type { ListedImportFact } from '../../facts/store.ts';
import { type LedgerFormat, MAX_WORKBOOK, workbookTooLarge } from '../../imports/read/index.ts';
import { isoTime } from '@financing-checkout/kit';
import { ProblemError } from '../../platform/problem.ts';
import { type Env, clientSignal, idempotencyKey, serve } from '../context.ts';
import { pageOf } from '../cursor.ts';
import { type FileAnswers, serveTable } from '../file-answers.ts';
import { ofChange, operation, routesOf } from '../operation.ts';
import { within } from '../period.ts';
import { importQuery, workbookQuery } from '../queries.ts';
import { record } from '../trail.ts';
import { explained, fileTypeOf, ofUpload, uploadOf } from '../upload.ts';

const PREVIEW_BYTES = 262_144;
/** Number of imports read at a time for a file. */
const PAGE_SIZE = 500;

const formats = new Map<string, LedgerFormat | undefined>([
  ['text/csv', 'csv'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  [WORKBOOK_TYPE, undefined],
  // Accepts any content type: the format is detected from the content.
  ['application/octet-stream', undefined],
]);
const importTypes = [...formats.keys()];

/** Operations on the merchant's ledger. */
export const importOperations = {
  ledger: operation({
    method: 'post',
    path: '/ledger',
    summary: 'Import lines of the merchant’s ledger',
    description:
      'CSV, a JSON array, or one JSON object per line, up to RECONCILIATION_IMPORT_LIMIT. The file is received first: it may arrive for 30 minutes, at least 128 KiB in 30 seconds, two of one token at a time. Imports all lines or none; each error is listed with its line. Repeated lines are recognized, so the same file may be sent again. `withdraw` removes the lines of an erroneous import, with the same file and options; lines stated by the companion stay. Responds when the orders of the lines are judged.',
    scope: 'imports',
    priorities: [],
    budgets: ['uploads'],
    maxBodyBytes: { setting: 'RECONCILIATION_IMPORT_LIMIT' },
    query: importQuery,
    body: { contentTypes: importTypes, isStreamed: true },
    answers: { 200: { schema: ledgerImportSchema } },
    problems: ['import-busy', ...ofUpload],
  }),
  preview: operation({
    method: 'post',
    path: '/ledger/preview',
    summary: 'The beginning of a ledger file, to assign its columns',
    description:
      'Takes at most 262,144 bytes and the options of `POST /ledger`. Proposes a preset, and returns the columns, the first rows as they are written, and the column of each field. Stores nothing.',
    scope: 'imports',
    priorities: [],
    budgets: ['previews'],
    maxBodyBytes: PREVIEW_BYTES,
    query: importQuery,
    body: { contentTypes: importTypes, isStreamed: true },
    answers: { 200: { schema: ledgerPreviewSchema } },
    problems: ['media-type-unsupported', 'request-too-large'],
  }),
  workbook: operation({
    method: 'post',
    path: '/ledger/preview/workbook',
    summary: 'The beginning of a sheet of an .xlsx, to assign its columns',
    description:
      'Takes the whole workbook, at most 32 MiB, and the options of `POST /ledger`. `sheets` are those with content; with several, or a hidden one, and no `sheet`, the answer has no columns. `unseen` is what a person does not see in the workbook. `rows` are numbers of rows whose cells the answer contains, to show a wrong value. Stores nothing.',
    scope: 'imports',
    priorities: [],
    budgets: ['uploads', 'previews'],
    maxBodyBytes: MAX_WORKBOOK,
    query: workbookQuery,
    body: { contentTypes: [WORKBOOK_TYPE], isStreamed: true },
    answers: { 200: { schema: ledgerPreviewSchema } },
    problems: [
      'media-type-unsupported',
      'overloaded',
      'rate-limited',
      'request-too-large',
      'storage-full',
    ],
  }),
  ...routesOf(importListOperations),
  withdrawal: operation({
    ...ofChange,
    path: '/imports/:id/withdrawal',
    summary: 'Withdraw the lines of an import',
    description:
      'Removes the lines that the import added, without its file. Lines that the companion states stay. A repeated request returns the same result.',
    scope: 'imports',
    headers: keyHeader,
    body: { schema: withdrawalRequestSchema },
    answers: { 200: { schema: withdrawalSchema } },
    problems: ['idempotency-key-missing', 'import-busy', 'not-found', 'standby'],
  }),
};

/** Route for the merchant's ledger. */
export function importRoutes(engine: Engine, answerFile: FileAnswers): Hono<Env> {
  const app = new Hono<Env>();
  const businessZone = engine.config.sync.zone;

  serve(app, importOperations.ledger, async (c, input) => {
    const { options: said } = input.query();
    const typed = formats.get(fileTypeOf(c, importTypes));
    const upload = uploadOf(c);
    const leader = await engine.requireLeader();
    return explained(async () => {
      const by = actorOf(c, said.by);
      const options = { ...said, format: said.format ?? typed, businessZone, by };
      const about = { file: said.file, by, dryRun: said.dryRun ?? false };
      const work = () =>
        engine.runningImports.run(about, upload, (counted) =>
          leader.importLedger(counted, options),
        );
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

  app.post(importOperations.preview.path, limitPreview);
  serve(app, importOperations.preview, async (c, input) => {
    const { options } = input.query();
    const typed = formats.get(fileTypeOf(c, importTypes));
    const body = await c.req.arrayBuffer().catch(() => {
      throw incompleteBody();
    });
    return explained(async () =>
      c.json(
        await engine.previews.preview(
          new Uint8Array(body),
          { ...options, format: options.format ?? typed, businessZone },
          clientSignal(c),
        ),
      ),
    );
  });

  app.post(importOperations.workbook.path, limitWorkbook);
  serve(app, importOperations.workbook, async (c, input) => {
    const { options: said, rows } = input.query();
    fileTypeOf(c, [WORKBOOK_TYPE]);
    const options = { ...said, businessZone };
    const upload = uploadOf(c);
    return explained(async () =>
      c.json(
        await engine.workbooks.receive(upload, ({ path }) =>
          engine.previews.previewWorkbook(path, options, upload.signal, rows),
        ),
      ),
    );
  });

  const tables = { engine, answerFile, rows: PAGE_SIZE };
  const { zone: own } = engine.config.sync;
  serveTable(app, tables, importOperations.list, async (_, { after, limit, ...part }) => {
    const isWithin = within(part, part.zone ?? own);
    const start = after === undefined ? undefined : Number(after);
    const { page, last } = pageOf(await engine.facts.imports(limit + 1, start), limit);
    return {
      imports: page.map(importRecord).filter(({ at }) => isWithin(at)),
      next: last && String(last.number),
    };
  });

  serve(app, importOperations.withdrawal, async (c, input) => {
    const { by, reason } = input.body();
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

const limitPreview = bodyLimit({
  maxSize: PREVIEW_BYTES,
  onError: () => {
    throw new ProblemError('request-too-large', {
      detail: `Send the first ${PREVIEW_BYTES} bytes of the file.`,
    });
  },
});

/**
 * Limits a workbook's declared size. A workbook without a declared size is limited during the
 * upload.
 */
const limitWorkbook: MiddlewareHandler<Env> = async function limitWorkbook(c, next) {
  if (declaredBytes(c) > MAX_WORKBOOK) {
    throw new ProblemError('request-too-large', { detail: workbookTooLarge().message });
  }
  await next();
};

function declaredBytes(c: Context<Env>): number {
  return Number(c.req.header('content-length') ?? 0);
}

function endOf(report: LedgerImportRecord) {
  const { added, withdrawn, replaced, errorCount } = report;
  const outcome = report.applied ? 'done' : 'refused';
  return { outcome, detail: { added, withdrawn, replaced, errorCount } };
}

/** Returns an import in the API's format. */
function importRecord(fact: ListedImportFact): ListedImport {
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
