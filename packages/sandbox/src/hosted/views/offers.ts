import { html, raw } from 'hono/html';
import type { Application } from '../../checkout/application.ts';
import { isLease, type Offer } from '../../checkout/offers.ts';
import type { FormErrors } from '../form.ts';
import type { Text } from '../text/index.ts';
import type { Visit } from '../visit.ts';
import { checkboxView } from './details.ts';
import { formatFor, type Format } from './format.ts';
import { orderView } from './order.ts';
import { cancelForm, errorSummary, hiddenFields, page, type Html } from './page.ts';

interface OffersView {
  text: Text;
  visit: Visit;
  application: Application;
  chosen: string;
  agreed: boolean;
  errors: FormErrors<'offer' | 'agree'>;
  expiresInMs: number;
}

/** Renders step two: the list of offers, each with the same facts in the same order. */
export function offersPage(view: OffersView): Html {
  const { text, visit, application, errors } = view;
  const { offers } = text;
  const format = formatFor(text.locale, application.session.currency);
  const failed = Object.keys(errors).length > 0;
  return page({
    text,
    title: failed
      ? `${text.errors.title(Object.keys(errors).length)} – ${offers.title}`
      : offers.title,
    visit,
    outcome: undefined,
    step: 2,
    expiresInMs: view.expiresInMs,
    aside: orderView(text, application.session),
    main: html`${errorSummary(text, errors)}
      <p class="kicker">${text.stepOf(2)}</p>
      <h1>${offers.title}</h1>
      <p class="lead">${offers.lead}</p>
      <form method="post" action="/checkout/confirm" novalidate data-busy="${offers.submitting}">
        ${hiddenFields(visit)}
        <fieldset class="offers" ${errors.offer ? html`aria-describedby="offer-error"` : ''}>
          <legend class="hidden">${offers.legend}</legend>
          ${errors.offer ? html`<p class="error" id="offer-error">${errors.offer}</p>` : ''}
          ${application.offers.map((offer, index) =>
            offerView({
              offer,
              text,
              format,
              first: index === 0,
              chosen: offer.code === view.chosen,
            }),
          )}
        </fieldset>
        ${checkboxView('agree', offers.agree, view.agreed, errors.agree)}
        <button class="primary" type="submit">${offers.submit}</button>
      </form>
      ${cancelForm(text, visit)}`,
  });
}

interface OfferView {
  offer: Offer;
  text: Text;
  format: Format;
  first: boolean;
  chosen: boolean;
}

function offerView({ offer, text, format, first, chosen }: OfferView): Html {
  const { offers } = text;
  // The error summary links to the first offer.
  const id = first ? 'offer' : `offer-${offer.code}`;
  const fact = (name: string, value: string, kind = '') =>
    html`<div class="${kind}">
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<div class="offer">
    <input
      type="radio"
      id="${id}"
      name="offer"
      value="${offer.code}"
      required
      aria-describedby="${id}-facts"
      ${chosen ? raw('checked') : ''}
    />
    <label for="${id}">
      <span class="who">
        <span class="lender">${offer.lenderName}</span>
        <span class="product"
          >${offers.product[offer.productType]}${
            offer.isPromotional ? html` <span class="tag">${offers.promotional}</span>` : ''
          }</span
        >
      </span>
      <span class="monthly">
        <strong>${format.money(offer.payment)}</strong>
        <span>${offers.perMonth}</span>
      </span>
    </label>
    <dl class="facts" id="${id}-facts">
      ${fact(offers.term, offers.months(offer.months))}
      ${isLease(offer) ? '' : fact(offers.apr, format.percent(offer.aprBasisPoints))}
      ${fact(
        isLease(offer) ? offers.leaseCost : offers.interest,
        offer.interest === 0 ? offers.none : format.money(offer.interest),
      )}
      ${fact(offers.total, format.money(offer.total), 'sum')}
      ${
        offer.lastPayment === offer.payment
          ? ''
          : fact(offers.lastPayment, format.money(offer.lastPayment), 'last')
      }
    </dl>
    ${isLease(offer) ? html`<p class="hint">${offers.leaseNote}</p>` : ''}
  </div>`;
}
