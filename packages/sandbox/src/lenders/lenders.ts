import type { z } from 'zod';
import type { financialProductType } from '../published/values.ts';
import { createHash } from 'node:crypto';

export type FinancialProductType = z.output<typeof financialProductType>;

/**
 * The tax that the financed amount excludes. The contract says that a lease excludes sales tax, but
 * not whether this includes the tax on shipping, so that a merchant can test both.
 */
export const taxesLeftOut = ['none', 'tax', 'tax-and-shipping-tax'] as const;
type TaxLeftOut = (typeof taxesLeftOut)[number];

/** A fictional lender: its offer, its discount, its funding lag. */
export interface Lender {
  id: string;
  name: string;
  offer: {
    code: string;
    productType: FinancialProductType;
    months: number;
    /** Nominal annual rate in basis points. */
    aprBasisPoints: number;
    /** Cost of a lease on top of the price of the goods, in basis points of that price. */
    leaseCostBasisPoints?: number;
    isPromotional?: boolean;
  };
  /** Merchant discount rate in basis points: the share of a sale that the lender keeps. */
  discountBasisPoints: number;
  /** Days from the (UTC) day of a transaction to its funding. */
  fundingLagDays: number;
  /** The tax that the lender's offers, charges and fundings exclude. */
  taxLeftOut: TaxLeftOut;
  /** Minimum price, in the major unit, for which the promotional text is shown. */
  promotedFrom: number;
  /** Whether the lender supports partial voids of an authorization; the default is no. */
  partialVoids?: boolean;
}

/** The lenders of the sandbox with their initial terms. All of them are fictional. */
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
      // A lease has a price instead of an annual rate.
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

/**
 * Returns when a lender funds a transaction made at `at`: at midnight UTC, after its lag in days.
 */
export function fundingDate(at: number, lender: Lender): number {
  return (Math.floor(at / DAY) + lender.fundingLagDays) * DAY;
}

/** Returns the lender's reference of a transaction, the same in every response and funding. */
export function lenderReferenceOf(transactionId: string): string {
  return createHash('sha256').update(transactionId).digest('hex').slice(0, 16).toUpperCase();
}
