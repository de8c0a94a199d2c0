import { z } from 'zod';
import { importsSchema } from './ledger-import.ts';
import { read } from './operation.ts';
import { count, dayFlags, days } from './query.ts';
import { tables } from './tables.ts';

export const importListOperations = {
  list: read('/imports', {
    summary: 'Imports and withdrawals of ledger lines, newest first',
    query: z.strictObject({
      ...days,
      /** The `next` value of the previous page. */
      after: z
        .string()
        .regex(/^\d{1,15}$/, 'must be the "next" of a previous page')
        .optional(),
      limit: count(1, 1_000).default(100),
    }),
    answer: importsSchema,
    verb: {
      name: 'imports',
      flags: dayFlags('imports of this day or later'),
    },
    table: tables.imports,
  }),
} as const;
