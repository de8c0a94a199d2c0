import type {
  CaseSheet,
  CaseSheetDifference,
  CaseSheetRefusal,
} from '@financing-checkout/contract/reconciliation';
import type { CaseFact } from '../facts/case-facts.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { caseEventRecord } from './record.ts';
import type { PlannedRow, RefusedRow, SheetPlan } from './sheet.ts';

/** Returns a plan in the API's format. @param applied whether this request applied it */
export function sheetRecord(plan: SheetPlan, applied: boolean): CaseSheet {
  const { digest, planned, refused, rows } = plan;
  return {
    digest,
    rows,
    unchanged: rows - planned.length - refused.length,
    differences: planned.flatMap(differencesOf),
    refusals: refused.map(refusalOf),
    applied,
  };
}

function differencesOf({ edits, fact, line }: PlannedRow): CaseSheetDifference[] {
  return edits.map(({ actions, after, before, field }) => {
    const operations = actions.map(({ operation }) => operation);
    const reason = field === 'state' && operations.find((one) => 'reason' in one)?.reason;
    return {
      line,
      ...caseOf(fact),
      field,
      before,
      after,
      ...(typeof reason === 'string' ? { reason } : {}),
      events: operations.map(({ kind }) => kind),
      applied: actions.every(({ isDone }) => isDone),
    };
  });
}

function refusalOf({ event, fact, line, refusal }: RefusedRow): CaseSheetRefusal {
  const { column, message } = refusal;
  const changed = event && caseEventRecord(event);
  return {
    line,
    ...(fact === undefined ? {} : caseOf(fact)),
    refusal: refusal.refusal,
    column,
    message,
    ...(changed && { by: changed.actor, kind: changed.kind, at: changed.at }),
  };
}

function caseOf({ code, currency, id, orderKey }: CaseFact) {
  const merchantOrderId = merchantOrderIdOf(orderKey);
  return {
    caseId: id,
    orderKey,
    merchantOrderId,
    currency,
    code,
  };
}
