import { html } from 'hono/html';
import { priceCart } from '../cart/pricing.ts';
import type { CartLine } from '../cart/pricing.ts';
import type { Html, Page } from '../page/layout.ts';
import { randomId } from '../visitor.ts';
import { lineList } from '../page/lines.ts';
import { sums } from '../page/sums.ts';
import { customerFields } from './details.ts';
import type { CustomerField, CustomerForm } from './details.ts';
import { isState, states } from './tax.ts';

interface FieldOptions {
  label: string;
  autocomplete: string;
  type?: 'email' | 'tel' | 'text';
  optional?: boolean;
  width?: 'half';
  inputmode?: 'numeric';
}

/** Renders the form for contact and delivery, next to the order. */
export function checkoutPage(lines: readonly CartLine[], form: CustomerForm): Page {
  const state = form.values.state ?? '';
  const wrong = Object.keys(form.errors).length;
  // The page opens with the focus on the first field with an error.
  const firstWrong = customerFields.find((name) => form.errors[name]);

  const field = (name: CustomerField, options: FieldOptions): Html => {
    const error = form.errors[name];
    return html`<p class="field ${options.width ?? ''}">
      <label for="${name}">
        ${options.label}${options.optional ? html` <span class="muted">(optional)</span>` : ''}
      </label>
      <input
        id="${name}"
        name="${name}"
        type="${options.type ?? 'text'}"
        autocomplete="${options.autocomplete}"
        value="${form.values[name] ?? ''}"
        maxlength="256"
        ${options.inputmode ? html`inputmode="${options.inputmode}"` : ''}
        ${options.optional ? '' : html`required`}
        ${error ? html`aria-invalid="true" aria-describedby="${name}-error"` : ''}
        ${name === firstWrong ? html`autofocus` : ''}
      />
      ${error ? html`<span class="error" id="${name}-error">${error}</span>` : ''}
    </p>`;
  };

  return {
    title: wrong > 0 ? 'Please check your details' : 'Checkout',
    section: 'cart',
    back: { href: '/cart', text: 'Cart' },
    main: html`<h1>Checkout</h1>
      ${
        wrong > 0
          ? html`<p class="note warning" role="alert">
              ${wrong === 1 ? 'One field needs' : `${wrong} fields need`} another look before you
              can go on.
            </p>`
          : ''
      }
      <div class="columns">
        <form method="post" action="/checkout" class="details" id="details">
          <input type="hidden" name="form" value="${randomId()}" />
          <fieldset>
            <legend>Contact</legend>
            ${field('firstName', {
              label: 'First name',
              autocomplete: 'given-name',
              width: 'half',
            })}
            ${field('lastName', {
              label: 'Last name',
              autocomplete: 'family-name',
              width: 'half',
            })}
            ${field('email', { label: 'E-mail', autocomplete: 'email', type: 'email' })}
            ${field('phone', {
              label: 'Mobile phone',
              autocomplete: 'tel-national',
              type: 'tel',
              optional: true,
            })}
          </fieldset>
          <fieldset>
            <legend>Delivery</legend>
            ${field('line1', { label: 'Street and number', autocomplete: 'address-line1' })}
            ${field('line2', {
              label: 'Apartment, floor',
              autocomplete: 'address-line2',
              optional: true,
            })}
            ${field('city', { label: 'City', autocomplete: 'address-level2' })}
            <p class="field half">
              <label for="state">State</label>
              <select
                id="state"
                name="state"
                autocomplete="address-level1"
                required
                ${form.errors.state ? html`aria-invalid="true" aria-describedby="state-error"` : ''}
              >
                <option value="">Choose</option>
                ${states.map(
                  ({ code, name }) =>
                    html`<option value="${code}" ${code === state ? html`selected` : ''}>
                      ${name}
                    </option>`,
                )}
              </select>
              ${
                form.errors.state
                  ? html`<span class="error" id="state-error">${form.errors.state}</span>`
                  : ''
              }
            </p>
            ${field('zipCode', {
              label: 'ZIP code',
              autocomplete: 'postal-code',
              width: 'half',
              inputmode: 'numeric',
            })}
          </fieldset>
          <button class="primary wide" type="submit">Go to payment</button>
          <p class="muted small">
            You see the total with tax on the next page, and choose how to pay there.
          </p>
        </form>
        <aside class="panel" aria-labelledby="checkout-sums">
          <h2 id="checkout-sums">Your order</h2>
          ${lineList(lines.map(({ product, quantity }) => ({ ...product, quantity })))}
          <div data-quote aria-live="polite" aria-atomic="true">
            ${sums(priceCart(lines, isState(state) ? state : undefined))}
          </div>
        </aside>
      </div>`,
  };
}
