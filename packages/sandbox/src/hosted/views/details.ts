import { html, raw } from 'hono/html';
import type { Application } from '../../checkout/application.ts';
import { triggers } from '../../checkout/outcomes.ts';
import type { DetailsForm, FormErrors } from '../form.ts';
import type { Text } from '../text/index.ts';
import type { Visit } from '../visit.ts';
import { orderView } from './order.ts';
import { cancelForm, errorSummary, hiddenFields, page, type Html } from './page.ts';

interface DetailsView {
  text: Text;
  visit: Visit;
  application: Application;
  form: DetailsForm;
  errors: FormErrors<keyof DetailsForm>;
  expiresInMs: number;
}

interface Field {
  name: Exclude<keyof DetailsForm, 'consent'>;
  type: string;
  autocomplete: string;
  inputmode?: string;
  half?: boolean;
}

const fields: readonly Field[] = [
  { name: 'firstName', type: 'text', autocomplete: 'given-name', half: true },
  { name: 'lastName', type: 'text', autocomplete: 'family-name', half: true },
  { name: 'email', type: 'email', autocomplete: 'email' },
  { name: 'phone', type: 'tel', autocomplete: 'tel' },
  { name: 'birthDate', type: 'date', autocomplete: 'bday', half: true },
  { name: 'income', type: 'text', inputmode: 'decimal', autocomplete: 'off', half: true },
];

/** Renders step one: the applicant's form. */
export function detailsPage({ text, visit, application, form, errors, expiresInMs }: DetailsView) {
  const { details } = text;
  const hints: Partial<Record<Field['name'], string>> = {
    phone: details.phoneHint,
    birthDate: details.birthDateHint,
    income: details.incomeHint,
  };
  const labels = { ...details, income: details.income(application.session.currency) };
  const failed = Object.keys(errors).length > 0;
  return page({
    text,
    title: failed
      ? `${text.errors.title(Object.keys(errors).length)} – ${details.title}`
      : details.title,
    visit,
    outcome: undefined,
    step: 1,
    expiresInMs,
    aside: orderView(text, application.session),
    main: html`${errorSummary(text, errors)}
      <p class="kicker">${text.stepOf(1)}</p>
      <h1>${details.title}</h1>
      <p class="lead">${details.lead}</p>
      <form method="post" action="/checkout/details" novalidate data-busy="${details.submitting}">
        ${hiddenFields(visit)}
        <div class="grid">
          ${fields.map((field) => {
            const { name } = field;
            return fieldView(field, labels[name], hints[name], form[name], errors[name]);
          })}
        </div>
        ${checkboxView('consent', details.consent, form.consent !== '', errors.consent)}
        <button class="primary" type="submit">${details.submit}</button>
      </form>
      ${cancelForm(text, visit)}`,
    footer: developers(text),
  });
}

function fieldView(
  { name, type, autocomplete, inputmode, half }: Field,
  label: string,
  hint: string | undefined,
  value: string,
  error: string | undefined,
): Html {
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  return html`<div class="field ${half ? 'half' : ''} ${error ? 'is-wrong' : ''}">
    <label for="${name}">${label}</label>
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      required
      ${inputmode ? html`inputmode="${inputmode}"` : ''}
      ${described ? html`aria-describedby="${described}"` : ''}
      ${error ? raw('aria-invalid="true"') : ''}
    />
    ${error ? html`<p class="error" id="${name}-error">${error}</p>` : ''}
  </div>`;
}

/** Renders a required checkbox. */
export function checkboxView(
  name: string,
  label: string,
  checked: boolean,
  error: string | undefined,
): Html {
  return html`<div class="field check ${error ? 'is-wrong' : ''}">
    <label>
      <input
        type="checkbox"
        id="${name}"
        name="${name}"
        value="yes"
        required
        ${checked ? raw('checked') : ''}
        ${error ? html`aria-invalid="true" aria-describedby="${name}-error"` : ''}
      />
      <span>${label}</span>
    </label>
    ${error ? html`<p class="error" id="${name}-error">${error}</p>` : ''}
  </div>`;
}

function developers(text: Text): Html {
  const { developers } = text;
  return html`<details class="developers">
    <summary>${developers.title}</summary>
    <p>${developers.lead}</p>
    <ul>
      ${triggers.map(({ lastName, meaning }) => html`<li><code>${lastName}</code> ${meaning}</li>`)}
      <li>${developers.other}: ${developers.approved}</li>
    </ul>
  </details>`;
}
