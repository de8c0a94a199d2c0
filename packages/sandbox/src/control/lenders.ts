import { z } from 'zod';
import { lenders as known, type Lender } from '../lenders/lenders.ts';
import { termsSchema, type Lenders } from '../lenders/terms.ts';
import { ArgumentError } from '../platform/problem.ts';
import { operation } from './operation.ts';

function shown({ id, name, discountBasisPoints, fundingLagDays, taxLeftOut }: Lender) {
  return { id, name, discountBasisPoints, fundingLagDays, taxLeftOut };
}
type Shown = ReturnType<typeof shown>;
const list = (lenders: Lenders) => ({ lenders: lenders.list().map(shown) });
const show = ({ lenders }: ReturnType<typeof list>) => lenders.map(describe);

/** The terms of the lenders: name, discount, funding lag and tax rule. */
export const lenderOperations = [
  operation('lender list', 'GET /lenders', {
    does: 'show the lenders and their terms',
    run: ({ lenders }) => list(lenders),
    show,
  }),
  operation('lender set', 'POST /lenders', {
    does: 'change the terms of one lender',
    input: termsSchema.extend({ lenderId: z.enum(known.map(({ id }) => id)) }),
    options: {
      lenderId: '<id>  lender',
      name: '--name <name>  name in later fundings',
      discountBasisPoints: '--rate <percent>  merchant discount rate',
      fundingLagDays: '--lag <days>  days from a transaction to its funding',
      taxLeftOut: '--leaves-out <tax>  tax that the financed amount excludes',
    },
    read: { discountBasisPoints: basisPoints },
    toInput: (given) => {
      if (Object.keys(given).length > 1) return given;
      throw new ArgumentError('Name a change: --name, --rate, --lag or --leaves-out.');
    },
    run: ({ lenders }, { lenderId, ...terms }) => shown(lenders.change(lenderId, terms)),
    show: (lender) => [describe(lender)],
  }),
  operation('lender reset', 'DELETE /lenders', {
    does: 'restore the initial terms',
    run: ({ lenders }) => {
      lenders.reset();
      return list(lenders);
    },
    show,
  }),
];

function describe({ id, name, discountBasisPoints, fundingLagDays, taxLeftOut }: Shown): string {
  const rate = `${(discountBasisPoints / 100).toFixed(2)}%`;
  const without = taxLeftOut === 'none' ? '' : `, leaves out ${taxLeftOut}`;
  return `${id.padEnd(13)} ${name.padEnd(21)} keeps ${rate}, pays after ${fundingLagDays} d${without}`;
}

/** Parses a percentage with at most two decimal places. @throws {ArgumentError} */
function basisPoints(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?%$/.exec(text);
  if (!match) throw new ArgumentError('It is a percentage such as 2.9%.');
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}
