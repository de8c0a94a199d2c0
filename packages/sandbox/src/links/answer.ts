import {
  accountTokenOf,
  confirmationTokenOf,
  confirmedOfferOf,
  consumerIdOf,
  isPending,
  lenderIdOf,
  type Application,
  type ApplicationState,
} from '../checkout/application.ts';
import type { Lenders } from '../lenders/terms.ts';
import { toWireAmount } from '../platform/money.ts';
import type { Link, Links } from './links.ts';

/**
 * The application states as the links API names them. Its list has no Expired and no
 * PendingMerchant. An approval comes with the confirmation here, so `Approved` does not occur.
 */
const wireStates: Readonly<Record<ApplicationState, string>> = {
  New: 'Started',
  CheckoutInProgress: 'Started',
  Prequalified: 'Prequalified',
  PendingConsumer: 'PendingConsumer',
  PendingLender: 'PendingLender',
  PendingMerchant: 'PendingLender',
  Approved: 'Confirmed',
  Authorized: 'Completed',
  Declined: 'Declined',
  Cancelled: 'Cancelled',
  Expired: 'Failed',
};

/**
 * Returns the response to a lookup: no consumer and no cart. Fields without a value are omitted.
 * Source: reference, Omni-link.
 */
export function linkToWire(link: Link, links: Links, lenders: Lenders) {
  const { request, session, createdAt, accessedAt, endsAt } = link;
  const linkStatus = links.statusOf(link);
  const changedAt = linkStatus === 'Expired' ? endsAt : (accessedAt ?? createdAt);
  return {
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(changedAt).toISOString(),
    linkType: linkTypeOf(link),
    linkStatus,
    applicationDetails: request.applicationDetails,
    merchantDetails: { posType: session.posType, ...request.merchantDetails },
    applications: links.applicationsOf(link).map((one) => applicationToWire(one, lenders)),
  };
}

export function linkTypeOf({ session }: Link): 'ConsumerApplication' | 'ConsumerCheckout' {
  return session.flowType === 'Apply' ? 'ConsumerApplication' : 'ConsumerCheckout';
}

function applicationToWire(application: Application, lenders: Lenders) {
  const { id, state } = application;
  const confirmationToken = confirmationTokenOf(application);
  const lenderId = lenderIdOf(application);
  const isKnown = state !== 'New' && state !== 'CheckoutInProgress';
  return {
    applicationId: id,
    applicationStatus: wireStates[state],
    ...(isKnown && { consumerId: consumerIdOf(id) }),
    accounts: accountsOf(application, lenders),
    ...(confirmationToken !== null && {
      checkoutDetails: { lenderId, lenderName: lenders.byId(lenderId).name, confirmationToken },
    }),
  };
}

/**
 * Returns the account of the confirmed offer; until then, one per lender that offers or decides.
 */
function accountsOf(application: Application, lenders: Lenders) {
  const { offers, session, state } = application;
  const confirmed = confirmedOfferOf(application);
  const accountToken = accountTokenOf(application);
  const account = (lenderId: string, accountStatus: string, credit: number) => {
    const amount = toWireAmount(credit, session.currency);
    const creditInfo = { amount, availableAmount: amount };
    return { accountStatus, lenderId, lenderName: lenders.byId(lenderId).name, creditInfo };
  };
  if (isPending(state)) {
    return [account(lenderIdOf(application), state, confirmed?.creditLimit ?? 0)];
  }
  if (confirmed) {
    const active = account(confirmed.lenderId, 'Active', confirmed.creditLimit);
    return [{ ...active, ...(accountToken !== null && { accountToken }) }];
  }
  return offers.map(({ lenderId, creditLimit }) => account(lenderId, 'Inactive', creditLimit));
}
