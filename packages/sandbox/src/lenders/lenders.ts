import type { z } from 'zod';
import type { financialProductType } from '../published/values.ts';

export type FinancialProductType = z.output<typeof financialProductType>;

/**
 * The tax that the financed amount excludes. The contract says that a lease excludes sales tax, but
 * not whether this includes the tax on shipping, so a merchant can test both.
 */
export const taxesLeftOut = ['none', 'tax', 'tax-and-shipping-tax'] as const;
type TaxLeftOut = (typeof taxesLeftOut)[number];

/** An invented lender: its offer, its discount, its funding lag. */
export interface Lender {
  id: string;
  name: string;
  offer: {
    code: string;
    productType: FinancialProductType;
    months: number;
    /** Yearly nominal rate in basis points. */
    aprBasisPoints: number;
    /** Cost of a lease in addition to the goods, in basis points of their amount; only for leases. */
    leaseCostBasisPoints?: number;
    isPromotional?: boolean;
  };
  /** Merchant discount rate in basis points: the share of a sale that the lender keeps. */
  discountBasisPoints: number;
  /** Days from the (UTC) day of a transaction to its funding. */
  fundingLagDays: number;
  /** The tax that its offers, charges and fundings exclude. */
  taxLeftOut: TaxLeftOut;
  /** Smallest price, in the major unit, for which its promotional text is shown. */
  promotedFrom: number;
  /** Whether the lender voids parts of an authorization; by default it voids only the whole. */
  partialVoids?: boolean;
}

/** The lenders of the sandbox with their initial terms. None of them exists. */
export const lenders: readonly Lender[] = [
  {
    id: 'tamberley',
    name: 'Tamberley Credit',
    offer: {
      code: 'TAM-0-6',
      productType: 'Installments',
      months: 6,
      aprBasisPoints: 0,
      isPromotional: true,
    },
    discountBasisPoints: 590,
    fundingLagDays: 1,
    taxLeftOut: 'none',
    promotedFrom: 150,
  },
  {
    id: 'quillmoor',
    name: 'Quillmoor Finance',
    offer: { code: 'QUI-999-12', productType: 'Installments', months: 12, aprBasisPoints: 999 },
    discountBasisPoints: 290,
    fundingLagDays: 1,
    taxLeftOut: 'none',
    promotedFrom: 50,
    partialVoids: true,
  },
  {
    id: 'halden-wren',
    name: 'Halden & Wren',
    offer: { code: 'HAL-1499-24', productType: 'LineOfCredit', months: 24, aprBasisPoints: 1499 },
    discountBasisPoints: 175,
    fundingLagDays: 1,
    taxLeftOut: 'none',
    promotedFrom: 250,
  },
  {
    id: 'pennowick',
    name: 'Pennowick Leasing',
    offer: {
      code: 'PEN-LTO-18',
      productType: 'LeaseToOwn',
      months: 18,
      // A lease has a price instead of a yearly rate.
      aprBasisPoints: 0,
      leaseCostBasisPoints: 4500,
    },
    discountBasisPoints: 320,
    fundingLagDays: 1,
    taxLeftOut: 'tax',
    promotedFrom: 300,
  },
];

const DAY = 86_400_000;

/** Returns when a lender funds a transaction of `at`: at midnight UTC, its lag in days later. */
export function fundingDate(at: number, lender: Lender): number {
  return (Math.floor(at / DAY) + lender.fundingLagDays) * DAY;
}
