import type { CaseSheet } from '@financing-checkout/contract';
import type { Clock } from '@financing-checkout/kit';
import { applySheet, sheetChanged } from '../cases/apply-sheet.ts';
import type { CaseContext } from '../cases/change-cases.ts';
import { planSheet } from '../cases/sheet.ts';
import { sheetRecord } from '../cases/sheet-record.ts';
import { sheetColumns } from '../cases/sheet-row.ts';
import type { LedgerImport } from '../imports/keep/index.ts';
import { readOrder, readTableInChild, type TableNotation } from '../imports/read/index.ts';
import { LedgerImportError } from '../imports/import-error.ts';
import { createReceiver, type Receiver, type Upload } from '../imports/receive/index.ts';
import { freeBytes } from '../platform/free-bytes.ts';

export const sheetLimit = {
  maxBytes: 16_777_216,
  adviceAbove: 'remove the rows that you have not changed',
} as const;
const MAX_ROWS = 20_000;

export interface CaseSheetRequest extends TableNotation {
  /** Digest of the differences that a person has reviewed; undefined: only compares. */
  digest?: string | undefined;
  /** Whether cases may be assigned to people who have neither a token nor a case. */
  newPersons: boolean;
  /** Names of access tokens. */
  persons: readonly string[];
  /** Name of the access token, followed by the person if the request names one. */
  by: string;
  /** Whether the sender may correct the orders of imported lines. */
  mayCorrect: boolean;
  /**
   * Records a correction of this number of orders in the trail of actions, before and after the
   * work.
   */
  recordCorrection: <Result>(orders: number, work: () => Promise<Result>) => Promise<Result>;
}

/** Compares edited exports of cases with the cases and the ledger, and applies their differences. */
export class CaseSheets {
  readonly #context: () => CaseContext;
  readonly #imports: Pick<LedgerImport, 'compareOrders' | 'correctOrders'>;
  readonly #receiver: Receiver;
  readonly #clock: Clock;

  /** @param folder a private folder, emptied at the next start */
  constructor(
    context: () => CaseContext,
    imports: Pick<LedgerImport, 'compareOrders' | 'correctOrders'>,
    folder: string,
  ) {
    this.#context = context;
    this.#imports = imports;
    const { clock } = context();
    this.#clock = clock;
    this.#receiver = createReceiver({ ...sheetLimit, folder, clock, freeBytes });
  }

  /**
   * Receives a sheet and compares it with the cases. Applies the differences if the request has
   * their digest.
   * @throws {LedgerImportError} for a file that is not an export of cases
   * @throws {ImportBusyError} while an import is running, if an order is corrected
   * @throws {ProblemError} `case-sheet-changed`, and those of {@link Receiver.receive}
   * @throws {LeaseLostError}
   */
  run(upload: Upload, request: CaseSheetRequest): Promise<CaseSheet> {
    const { by, delimiter, digest, encoding, mayCorrect, newPersons, persons, sheet } = request;
    const imports = this.#imports;
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
        mayCorrect,
        readOrder,
        compareOrders: (corrections) => imports.compareOrders(corrections),
      });
      if (digest === undefined) return sheetRecord(plan, false);
      if (digest !== plan.digest) throw sheetChanged();
      const applied = await applySheet(ctx, plan, {
        by,
        correctOrders: (corrections, written) =>
          request.recordCorrection(corrections.length, () =>
            imports.correctOrders(corrections, written),
          ),
      });
      return sheetRecord(applied, true);
    });
  }
}
