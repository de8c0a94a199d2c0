import { toWireAmount } from '../platform/money.ts';
import type { Lenders } from '../lenders/terms.ts';
import {
  accountTokenOf,
  confirmationTokenOf,
  confirmedOfferOf,
  consumerIdOf,
  isPending,
  lenderIdOf,
  loanIdOf,
  pendingReasonOf,
  type Application,
} from './application.ts';
import { cartToWire } from './cart.ts';
import type { Offer } from './offers.ts';

/**
 * Returns the documented status of an application: every field, null if it has no value, and only
 * two ids of the consumer. Source: reference, Checkout Management, application status.
 */
export function statusToWire(application: Application, lenders: Lenders) {
  const { session, state, offers } = application;
  const { currency } = session;
  const confirmed = confirmedOfferOf(application);
  const isUnsubmitted = state === 'New' || state === 'CheckoutInProgress';
  return {
    sessionStatus: state === 'Approved' || state === 'Authorized' ? 'COMPLETED' : 'NOT COMPLETED',
    confirmationToken: confirmationTokenOf(application),
    accountToken: accountTokenOf(application),
    loanId: loanIdOf(application),
    // The service knows the consumer once the shopper has submitted their details.
    consumerId: isUnsubmitted ? null : consumerIdOf(application.id),
    flowType: session.flowType,
    storeId: session.storeId ?? null,
    cartDetails: session.cart && cartToWire(session.cart),
    // There is no status before the application reaches a lender.
    applicationStatus: isUnsubmitted ? null : state,
    account: accountToWire(application, confirmed, lenders),
    confirmedOffer: confirmed && hasToken(application) ? offerToWire(confirmed, currency) : null,
    offers: offers.length > 0 ? offers.map((offer) => offerToWire(offer, currency)) : null,
    merchantConsumerId: session.merchantConsumerId ?? null,
    linkId: session.linkId ?? null,
  };
}

/** Returns the account at the chosen lender, or at the lender that is deciding. */
function accountToWire(application: Application, confirmed: Offer | undefined, lenders: Lenders) {
  const { state, session } = application;
  if (!confirmed && !isPending(state)) return null;
  const lenderId = lenderIdOf(application);
  const credit = confirmed && toWireAmount(confirmed.creditLimit, session.currency);
  return {
    lenderName: lenders.byId(lenderId).name,
    lenderId,
    creditInfo: credit === undefined ? null : { availableCredit: credit, maxAmount: credit },
    applicationStatus: state,
    applicationStatusReason: pendingReasonOf(state),
    accountStatus: null,
    accountStatusReason: null,
    lenderReferenceId: null,
  };
}

function hasToken({ confirmationToken }: Application): boolean {
  return confirmationToken !== null;
}

function offerToWire(offer: Offer, currency: string) {
  const apr = offer.aprBasisPoints / 100;
  return {
    code: offer.code,
    financialProductType: offer.productType,
    amount: toWireAmount(offer.creditLimit, currency),
    defaultAPR: apr,
    promoSettings: {
      numberOfPeriods: offer.months,
      periodicPayment: toWireAmount(offer.payment, currency),
      periodType: 'Month',
      apr,
    },
    description: `${offer.lenderName}: ${offer.months} months`,
  };
}
