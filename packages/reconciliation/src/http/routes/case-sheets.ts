import { caseSheetSchema } from '@financing-checkout/contract/reconciliation';
import { actorOf } from '@financing-checkout/kit/http';
import { Hono } from 'hono';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { type CaseSheetRequest, sheetLimit } from '../../engine/case-sheets.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Env, serve } from '../context.ts';
import { operation } from '../operation.ts';
import { caseSheetQuery } from '../queries.ts';
import { explained, fileTypeOf, ofUpload, uploadOf } from '../upload.ts';

const sheetTypes = [
  'text/csv',
  WORKBOOK_TYPE,
  // Accepts both formats under any of these types: the content decides.
  'application/octet-stream',
] as const;

export const caseSheetOperations = {
  upload: operation({
    method: 'post',
    path: '/cases/sheet',
    summary: 'Compare an edited export of cases, or apply its differences',
    description:
      'CSV or .xlsx, up to 16 MiB and 20,000 rows, with the columns of an export of cases. Persons edit `state`, `assignee`, `reason` and `note`. A row with an edited order is refused (`order-edited`): a corrected file of the ledger moves lines to another order. Without `digest` it returns the differences and the rows that are refused, and writes nothing; with the `digest` of that response it applies exactly these differences, and leaves out the refused rows. Each operation takes effect once: an interrupted request can be repeated.',
    scope: 'cases',
    priorities: [],
    budgets: ['uploads'],
    maxBodyBytes: sheetLimit.maxBytes,
    query: caseSheetQuery,
    body: { contentTypes: sheetTypes, isStreamed: true },
    answers: { 200: { schema: caseSheetSchema } },
    problems: ['case-sheet-changed', ...ofUpload],
  }),
};

export function caseSheetRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  serve(app, caseSheetOperations.upload, async (c, input) => {
    const { by, ...said } = input.query();
    const upload = uploadOf(c, sheetLimit);
    fileTypeOf(c, sheetTypes);
    const leader = await engine.requireLeader();
    const names = [
      ...engine.config.tokens.map(({ name }) => name),
      ...(await engine.facts.people()).map(({ name }) => name),
    ];
    const persons = [...names, c.get('actor'), ...(by === undefined ? [] : [by])];
    const request: CaseSheetRequest = {
      ...said,
      persons,
      by: actorOf(c, by),
    };
    return explained(async () => c.json(await leader.uploadCaseSheet(upload, request)));
  });
  return app;
}
