/** What a lender's product may be. Source: reference, Checkout Management, financial product type. */
export const financialProductTypes = [
  'LineOfCredit',
  'Installments',
  'LeaseToOwn',
  'MerchantSelfFinancing',
] as const;
export type FinancialProductType = (typeof financialProductTypes)[number];

/**
 * The tax that is not in the amount a lender finances. That a lease leaves out sales tax is published;
 * whether the tax of the shipping belongs to it is not, so that a merchant tests both.
 */
export const taxesLeftOut = ['none', 'tax', 'tax-and-shipping-tax'] as const;
export type TaxLeftOut = (typeof taxesLeftOut)[number];

/** A made-up lender: its offer, the discount it keeps, the day it pays. */
export interface Lender {
  id: string;
  name: string;
  offer: {
    code: string;
    productType: FinancialProductType;
    months: number;
    /** Yearly nominal rate in basis points. */
    aprBasisPoints: number;
    /** What a lease costs besides the goods, in basis points of their amount; of a lease only. */
    leaseCostBasisPoints?: number;
    isPromotional: boolean;
  };
  /** Merchant discount rate in basis points: the part of a sale the lender keeps. */
  discountBasisPoints: number;
  /** Days from the (UTC) day of a transaction to the day it is funded. */
  fundingLagDays: number;
  /** The tax that is in neither its offers, its charges nor its fundings. */
  taxLeftOut: TaxLeftOut;
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
    taxLeftOut: 'none',
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
    taxLeftOut: 'none',
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
    taxLeftOut: 'none',
  },
  {
    id: 'pennowick',
    name: 'Pennowick Leasing',
    offer: {
      code: 'PEN-LTO-18',
      productType: 'LeaseToOwn',
      months: 18,
      // A lease has no yearly rate: it has a price.
      aprBasisPoints: 0,
      leaseCostBasisPoints: 4500,
      isPromotional: false,
    },
    discountBasisPoints: 320,
    fundingLagDays: 1,
    taxLeftOut: 'tax',
  },
];
