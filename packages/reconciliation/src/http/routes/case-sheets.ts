import { Hono } from 'hono';
import { WORKBOOK_TYPE } from '@financing-checkout/contract/plain';
import { type CaseSheetRequest, sheetLimit } from '../../engine/case-sheets.ts';
import type { Engine } from '../../engine/engine.ts';
import { actorOf } from '../access.ts';
import type { Env } from '../env.ts';
import { parseQuery } from '../parse.ts';
import { caseSheetQuery } from '../queries.ts';
import { record } from '../trail.ts';
import { explained, fileTypeOf, uploadOf } from '../upload.ts';

/** Path of sheets. Only this route reads their bodies. */
export const CASE_SHEET_PATH = '/cases/sheet';
export const sheetTypes = [
  'text/csv',
  WORKBOOK_TYPE,
  // Either of them: the content decides.
  'application/octet-stream',
] as const;

/** Route for edited exports of cases. */
export function caseSheetRoutes(engine: Engine): Hono<Env> {
  const app = new Hono<Env>();

  app.post(CASE_SHEET_PATH, async (c) => {
    const { by, ...said } = parseQuery(c, caseSheetQuery);
    const upload = uploadOf(c, sheetLimit);
    fileTypeOf(c, sheetTypes);
    const leader = await engine.requireLeader();
    const names = engine.config.tokens.map(({ name }) => name);
    const persons = [...names, c.get('actor'), ...(by === undefined ? [] : [by])];
    const request: CaseSheetRequest = {
      ...said,
      persons,
      by: actorOf(c, by),
      mayCorrect: c.get('scopes').includes('imports'),
      recordCorrection(corrected, work) {
        const detail = { source: 'import', corrected };
        return record(engine, c, { kind: 'import', subject: 'ledger', detail, person: by }, work);
      },
    };
    return explained(async () => c.json(await leader.uploadCaseSheet(upload, request)));
  });
  return app;
}
