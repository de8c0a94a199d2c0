import type { CaseSheet } from '@financing-checkout/contract/reconciliation';
import type { Clock } from '@financing-checkout/kit';
import { applySheet, sheetChanged } from '../cases/apply-sheet.ts';
import type { CaseContext } from '../cases/change-cases.ts';
import { planSheet } from '../cases/sheet.ts';
import { sheetRecord } from '../cases/sheet-record.ts';
import { sheetColumns } from '../cases/sheet-row.ts';
import { readTableInChild, type TableNotation } from '../imports/read/index.ts';
import { LedgerImportError } from '../imports/import-error.ts';
import { createReceiver, type Receiver, type Upload } from '../imports/receive/index.ts';
import { freeBytes } from '../platform/temporary-files.ts';

export const sheetLimit = {
  maxBytes: 16_777_216,
  adviceAbove: 'remove the rows that you have not changed',
} as const;
const MAX_ROWS = 20_000;

export interface CaseSheetRequest extends TableNotation {
  /** Digest of the reviewed differences; undefined: only compare. */
  digest?: string | undefined;
  /** Whether cases may be assigned to people who have neither a token nor a case. */
  newPersons: boolean;
  persons: readonly string[];
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
}

/** Compares edited case exports with the cases, and applies their differences. */
export class CaseSheets {
  readonly #context: () => CaseContext;
  readonly #receiver: Receiver;
  readonly #clock: Clock;

  /** @param folder a private folder, emptied at the next start */
  constructor(context: () => CaseContext, folder: string) {
    this.#context = context;
    const { clock } = context();
    this.#clock = clock;
    this.#receiver = createReceiver({ ...sheetLimit, folder, clock, freeBytes });
  }

  /**
   * Receives a sheet and compares it with the cases. Applies the differences if the request has
   * their digest.
   * @throws {LedgerImportError} for a file that is not a case export
   * @throws {ProblemError} `case-sheet-changed`, and those of {@link Receiver.receive}
   * @throws {LeaseLostError}
   */
  run(upload: Upload, request: CaseSheetRequest): Promise<CaseSheet> {
    const { by, delimiter, digest, encoding, newPersons, persons, sheet } = request;
    return this.#receiver.receive(upload, async ({ path: file }) => {
      const table = { file, columns: sheetColumns, maxRows: MAX_ROWS, delimiter, encoding, sheet };
      const answer = await readTableInChild(table, {
        clock: this.#clock,
        signal: upload.signal,
      });
      if ('refusal' in answer) throw new LedgerImportError(answer.refusal);
      const { rows } = answer;
      const ctx = this.#context();
      const known = new Set([...persons, ...(await ctx.facts.assignees())]);
      const plan = await planSheet(ctx.facts, rows, {
        isKnown: (name) => newPersons || known.has(name),
      });
      if (digest === undefined) return sheetRecord(plan, false);
      if (digest !== plan.digest) throw sheetChanged();
      return sheetRecord(await applySheet(ctx, plan, by), true);
    });
  }
}
