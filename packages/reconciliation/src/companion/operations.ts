import {
  type LostRecords,
  lostRecordsSchema,
  type UnclearOperation,
  unclearOperationsSchema,
} from '@financing-checkout/contract/back-office';
import type { CompanionOffice } from './office.ts';

/** Maximum number of IDs in one request, so that its URL stays short. */
const MAX_IDS = 100;

/**
 * The operations on charges that the companion has recorded. The methods throw {@link
 * CompanionRefusal} and {@link CompanionSilence}.
 */
export interface CompanionOperations {
  /** Returns all operations requested with this program's token, oldest first. */
  own(): Promise<UnclearOperation[]>;
  /** Returns the operations with these ids, from all clients. */
  withIds(ids: readonly string[]): Promise<UnclearOperation[]>;
  /** Returns the records that the companion has lost, newest first. */
  lost(): Promise<LostRecords['records']>;
}

export function createCompanionOperations(office: CompanionOffice): CompanionOperations {
  const ask = (query: Record<string, string>) =>
    office.send({
      method: 'GET',
      path: 'charge-operations',
      query,
      answer: unclearOperationsSchema,
    });
  return {
    async own() {
      const found: UnclearOperation[] = [];
      let next: string | undefined;
      do {
        const page = await ask({ actor: 'own', ...(next !== undefined && { after: next }) });
        found.push(...page.operations);
        next = page.next;
      } while (next !== undefined);
      return found;
    },

    async withIds(ids) {
      const found: UnclearOperation[] = [];
      for (let at = 0; at < ids.length; at += MAX_IDS) {
        const part = ids.slice(at, at + MAX_IDS).join(',');
        found.push(...(await ask({ ids: part })).operations);
      }
      return found;
    },

    async lost() {
      const query = { method: 'GET', path: 'lost-records', answer: lostRecordsSchema } as const;
      return (await office.send(query)).records;
    },
  };
}
