import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './tree.ts';

const original = 'contract/src/money/repayment.ts';

it.each(['widget/src/message/repayment.ts', 'sandbox/src/checkout/repayment.ts'])(
  'keeps %s equal to the contract: copy the file after a change',
  async (copy) => {
    const read = (path: string) => readFile(join(root, 'packages', path), 'utf8');
    expect(await read(copy)).toBe(await read(original));
  },
);

interface Sums {
  readonly payment: number;
  readonly lastPayment: number;
  readonly total: number;
  readonly interest: number;
}

/** Imports a source file: projects of TypeScript include only their own. */
const source = async <Module>(path: string) => (await import(join(root, path))) as Module;

it('promises in each message of the example shop what the lender then offers, to the cent', async () => {
  const file = await readFile(join(root, 'examples/shop/programmes.json'), 'utf8');
  const { programmes } = JSON.parse(file) as { programmes: readonly object[] };
  const widget = await source<{
    offersFor: (
      programmes: readonly object[],
      purchase: { amount: number; currency: string },
    ) => readonly { programme: { lender: { id: string } }; repayment: Sums }[];
  }>('packages/widget/src/message/programmes.ts');
  const sandbox = await source<{
    offersFor: (session: object, lenders: readonly object[]) => (Sums & { lenderId: string })[];
  }>('packages/sandbox/src/checkout/offers.ts');
  const { lenders } = await source<{ lenders: readonly object[] }>(
    'packages/sandbox/src/lenders/lenders.ts',
  );
  const sumsOf = (lender: string, { payment, lastPayment, total, interest }: Sums) =>
    `${lender}: ${payment}, ${lastPayment}, ${total}, ${interest}`;
  for (let amount = 10_000; amount < 2_500_000; amount += 249) {
    const order = { cart: null, currency: 'USD', tax: 0, shippingTax: 0, total: amount };
    const offered = sandbox.offersFor(order, lenders).map((it) => sumsOf(it.lenderId, it));
    const promised = widget
      .offersFor(programmes, { amount, currency: 'USD' })
      .map(({ programme, repayment }) => sumsOf(programme.lender.id, repayment));
    expect(promised.sort()).toEqual(offered.sort());
  }
});
