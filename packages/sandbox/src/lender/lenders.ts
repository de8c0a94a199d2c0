/** A made-up lender: what it offers, what it keeps, when it pays. */
export interface Lender {
  id: string;
  name: string;
  offer: {
    code: string;
    productType: 'Installments' | 'LineOfCredit';
    months: number;
    /** Yearly nominal rate in basis points. */
    aprBasisPoints: number;
    isPromotional: boolean;
  };
  /** Merchant discount rate in basis points: the part of a sale the lender keeps. */
  discountBasisPoints: number;
  /** Days from the (UTC) day of a transaction to the day it is funded. */
  fundingLagDays: number;
  /** Whether the lender voids a part of an authorization; one without this voids the whole only. */
  partialVoids?: boolean;
}

/** Every lender of the sandbox, in one table, as it is at first. None of them exists. */
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
  },
  {
    id: 'quillmoor',
    name: 'Quillmoor Finance',
    offer: {
      code: 'QUI-999-12',
      productType: 'Installments',
      months: 12,
      aprBasisPoints: 999,
      isPromotional: false,
    },
    discountBasisPoints: 290,
    fundingLagDays: 1,
    partialVoids: true,
  },
  {
    id: 'halden-wren',
    name: 'Halden & Wren',
    offer: {
      code: 'HAL-1499-24',
      productType: 'LineOfCredit',
      months: 24,
      aprBasisPoints: 1499,
      isPromotional: false,
    },
    discountBasisPoints: 175,
    fundingLagDays: 1,
  },
];
