import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const root = new URL('../../packages/', import.meta.url);
const original = 'contract/src/repayment.ts';

it.each(['widget/src/message/repayment.ts', 'sandbox/src/checkout/repayment.ts'])(
  'keeps %s equal to the contract: copy the file after a change',
  async (copy) => {
    const read = (path: string) => readFile(new URL(path, root), 'utf8');
    expect(await read(copy)).toBe(await read(original));
  },
);
