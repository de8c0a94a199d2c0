import { html, raw } from 'hono/html';
import {
  confirmedOfferOf,
  type Application,
  type ApplicationState,
} from '../../checkout/application.ts';
import type { LinkEnd } from '../link.ts';
import { returnAddress, type Outcome } from '../message.ts';
import type { Text } from '../text/index.ts';
import type { Arrival, Visit } from '../visit.ts';
import { formatFor } from './format.ts';
import { page, type Html } from './page.ts';

/** Renders the final page: the outcome, and the link back to the shop. */
export function endedPage(
  text: Text,
  visit: Visit,
  arrival: Arrival,
  outcome: Outcome,
  link: LinkEnd | undefined,
): Html {
  const { title, lead, more, tone } = wordsFor(text, arrival);
  const back = link ? link.address : returnAddress(visit, outcome);
  const label = tone === 'good' ? text.confirmed.back : text.ended.back;
  return page({
    text,
    title,
    visit,
    outcome,
    ...(tone === 'good' ? { step: 3 as const } : {}),
    main: html`<div class="ending ${tone}">
      ${symbols[tone]}
      <h1>${title}</h1>
      <p class="lead">${lead}</p>
      ${more ?? ''}
      ${
        back === undefined
          ? html`<p class="closing">
              <button class="primary" type="button" data-tell hidden>${label}</button>
              <span data-close-hint>${link ? text.ended.backToShopPage : text.ended.close}</span>
            </p>`
          : html`<p><a class="primary" href="${back}" data-return-link>${label}</a></p>`
      }
    </div>`,
  });
}

/** Renders the page for an invalid URL. It sends no messages to other windows. */
export function unusablePage(text: Text): Html {
  const { title, address } = text.ended.failed;
  return silentPage(text, title, address);
}

/** Renders the page of a link that no longer opens an application. */
export function linkEndedPage(text: Text): Html {
  const { title, lead } = text.ended.link;
  return silentPage(text, title, lead);
}

function silentPage(text: Text, title: string, lead: string): Html {
  return page({
    text,
    title,
    visit: undefined,
    outcome: undefined,
    main: html`<div class="ending calm">
      ${symbols.calm}
      <h1>${title}</h1>
      <p class="lead">${lead}</p>
    </div>`,
  });
}

interface Words {
  title: string;
  lead: string;
  more?: Html;
  tone: 'good' | 'wait' | 'calm';
}

function wordsFor(text: Text, arrival: Arrival): Words {
  if (arrival.kind === 'failed') {
    const { title, key, session } = text.ended.failed;
    return { title, lead: arrival.cause === 'key' ? key : session, tone: 'calm' };
  }
  const { state, decision } = arrival.application;
  if (decision === 'no-lender') return { ...text.ended.noLender, tone: 'calm' };
  if (state === 'Approved') return confirmedWords(text, arrival.application);
  const { authorized, pending, review, information, cancelled, expired, declined } = text.ended;
  const words: Partial<Record<ApplicationState, Words>> = {
    Authorized: { ...authorized, tone: 'good' },
    PendingLender: { ...pending, tone: 'wait' },
    PendingMerchant: { ...review, tone: 'wait' },
    PendingConsumer: { ...information, tone: 'wait' },
    Cancelled: { ...cancelled, tone: 'calm' },
    Expired: { ...expired, tone: 'calm' },
  };
  return words[state] ?? { ...declined, tone: 'calm' };
}

function confirmedWords(text: Text, application: Application): Words {
  const offer = confirmedOfferOf(application);
  if (!offer) return { ...text.ended.authorized, tone: 'good' };
  const { money } = formatFor(text.locale, application.session.currency);
  if (application.session.flowType === 'Apply') {
    const lead = text.applied.lead(offer.lenderName, money(offer.creditLimit));
    return { title: text.applied.title, lead, tone: 'good' };
  }
  const last = offer.lastPayment === offer.payment ? undefined : money(offer.lastPayment);
  return {
    title: text.confirmed.title,
    lead: text.confirmed.lead(offer.lenderName),
    more: html`<p class="terms">
      ${text.confirmed.payments(offer.months, money(offer.payment), last)}. ${text.confirmed.first}
    </p>`,
    tone: 'good',
  };
}

const symbol = (path: string) =>
  raw(
    `<svg class="symbol" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="27" class="disc"/><path d="${path}" class="line"/></svg>`,
  );
const symbols = {
  good: symbol('M18 29l7 7 14-15'),
  wait: symbol('M28 16v12l8 5'),
  calm: symbol('M18 28h20'),
};
