import type { DiscountAuditRecord, RadarRecord, Walk } from '@financing-checkout/contract';
import {
  addFlows,
  auditDiscounts,
  cashFlows,
  type CashWalk,
  type ClaimRadar,
  type DiscountAudit,
  effectiveBasisPoints,
  lenderNames,
  lenderOf,
  sweepClaims,
  walkStatements,
} from '@financing-checkout/reconciliation-rules';
import { isoTime } from '../../clock/clock.ts';
import { compareTexts } from '../../compare-texts.ts';
import { type SweepContext, sweepOrders } from './sweep.ts';

/** A part of the whole: one currency, one lender. */
export interface Part {
  currency?: string | undefined;
  lender?: string | undefined;
}

/**
 * The cash walk of a period: from what was expected to what lenders posted. It reads the whole
 * history, since what was in transit when the period began comes from before.
 */
export async function cashWalk(
  ctx: SweepContext,
  part: Part & { from?: string | undefined; to?: string | undefined },
): Promise<Pick<Walk, 'lender' | 'from' | 'to' | 'statements' | 'withoutCurrency'>> {
  const { currency, from, to } = part;
  const lender = part.lender === undefined ? undefined : lenderOf(part.lender, ctx.policy);
  const walk: CashWalk = new Map();
  // No filter by lender: an order that nobody has paid yet has none.
  const withoutCurrency = await sweepOrders(ctx, { currency }, (order, policy) => {
    addFlows(walk, cashFlows(order, policy));
  });
  return {
    ...(lender === undefined ? {} : { lender }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    statements: walkStatements(walk, {
      lender,
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
    }),
    withoutCurrency,
  };
}

/** What lenders kept of settles and gave back of refunds, beside what was agreed. */
export async function discountAudit(
  ctx: SweepContext,
  part: Part,
): Promise<DiscountAuditRecord['rows']> {
  const audit: DiscountAudit = new Map();
  await sweepOrders(ctx, filterOf(ctx, part), (order, policy) => {
    auditDiscounts(audit, order, policy);
  });
  const lender = part.lender === undefined ? undefined : lenderOf(part.lender, ctx.policy);
  return [...audit.values()]
    .filter((sums) => lender === undefined || sums.lender === lender)
    .map((sums) => {
      const { basisPoints, perSettle, agreedFrom, productType, promoCode } = sums;
      const effective = effectiveBasisPoints(sums);
      return {
        currency: sums.currency,
        lender: sums.lender,
        ...(productType === undefined ? {} : { productType }),
        ...(promoCode === undefined ? {} : { promoCode }),
        ...(basisPoints === undefined ? {} : { agreedBasisPoints: basisPoints }),
        ...(perSettle === 0 ? {} : { agreedPerSettle: perSettle }),
        ...(agreedFrom === undefined ? {} : { agreedFrom: isoTime(agreedFrom) }),
        ...(effective === undefined
          ? {}
          : { effectiveBasisPoints: Math.round(effective * 100) / 100 }),
        settles: sums.settles,
        refunds: sums.refunds,
      };
    })
    .sort(
      (a, b) =>
        compareTexts(a.currency, b.currency) ||
        compareTexts(a.lender, b.lender) ||
        b.settles.amount - a.settles.amount,
    );
}

/** What the service says of fundings, and how often the arithmetic says otherwise. */
export async function claimRadar(ctx: SweepContext, part: Part): Promise<RadarRecord['rows']> {
  const radar: ClaimRadar = new Map();
  await sweepOrders(ctx, filterOf(ctx, part), (order, policy) => {
    sweepClaims(radar, order, policy);
  });
  const lender = part.lender === undefined ? undefined : lenderOf(part.lender, ctx.policy);
  return [...radar.values()]
    .filter((sums) => lender === undefined || sums.lender === lender)
    .sort((a, b) => b.wrong.count - a.wrong.count || compareTexts(a.status, b.status));
}

function filterOf({ policy }: SweepContext, { currency, lender }: Part) {
  return { currency, lenders: lender === undefined ? undefined : lenderNames(lender, policy) };
}
