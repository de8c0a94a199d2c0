import type { CaseSheet } from '@financing-checkout/contract';
import { applySheet } from '../cases/apply-sheet.ts';
import type { CaseContext } from '../cases/change-cases.ts';
import { planSheet } from '../cases/sheet.ts';
import { sheetRecord } from '../cases/sheet-record.ts';
import { sheetColumns } from '../cases/sheet-row.ts';
import { readTableInThread, type TableNotation } from '../imports/read-table.ts';
import { createReceiver, type Receiver, type Upload } from '../imports/receive.ts';
import { freeBytes } from '../platform/free-bytes.ts';
import { ProblemError } from '../platform/problem.ts';

export const sheetLimit = {
  maxBytes: 16_777_216,
  adviceAbove: 'remove the rows that you have not changed',
} as const;
const MAX_ROWS = 20_000;

export interface CaseSheetRequest extends TableNotation {
  /** Digest of the differences that a person has seen; undefined: only compares. */
  digest?: string | undefined;
  /** Whether cases may be assigned to persons without a token and without a case. */
  newPersons: boolean;
  /** Names of access tokens. */
  persons: readonly string[];
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
}

/** Compares edited exports of cases with the cases, and applies their differences. */
export class CaseSheets {
  readonly #context: () => CaseContext;
  readonly #receiver: Receiver;

  /** @param folder private, emptied by the next start */
  constructor(context: () => CaseContext, folder: string) {
    this.#context = context;
    const { clock } = context();
    this.#receiver = createReceiver({ ...sheetLimit, folder, clock, freeBytes });
  }

  /**
   * Receives a sheet and compares it. With the digest of what it finds it applies the differences.
   * @throws {LedgerImportError} for a file that is no such export
   * @throws {ProblemError} `case-sheet-changed`, and those of {@link Receiver.receive}
   * @throws {LeaseLostError}
   */
  run(upload: Upload, request: CaseSheetRequest): Promise<CaseSheet> {
    const { by, delimiter, digest, encoding, newPersons, persons, sheet } = request;
    return this.#receiver.receive(upload, async ({ path: file }) => {
      const rows = await readTableInThread({
        file,
        columns: sheetColumns,
        maxRows: MAX_ROWS,
        delimiter,
        encoding,
        sheet,
      });
      const ctx = this.#context();
      const known = new Set([...persons, ...(await ctx.facts.assignees())]);
      const plan = await planSheet(ctx.facts, rows, (name) => newPersons || known.has(name));
      if (digest === undefined) return sheetRecord(plan, false);
      if (digest !== plan.digest) {
        throw new ProblemError('case-sheet-changed', {
          detail:
            'The sheet or its cases changed after the comparison, and nothing was applied: upload the sheet again to see its differences.',
        });
      }
      return sheetRecord(await applySheet(ctx, plan, by), true);
    });
  }
}
