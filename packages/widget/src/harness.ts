import type { FinancingOrderChangeEvent } from './events/order-change-event.ts';
import type { FinancingOutcomeEvent } from './events/outcome-event.ts';
import type { FinancingCheckout } from './financing-checkout.ts';
import { scenarios } from './model/scenario.ts';
import type { Scenario, ScenarioName, ScenarioRequest } from './model/scenario.ts';

/** Timeout in milliseconds. A simulated checkout reacts immediately. */
const TIMEOUT = 5_000;

/**
 * Presses and reads a `<financing-checkout>` as a shopper does, in a simulated checkout.
 *
 * ```ts
 * const harness = new FinancingCheckoutHarness(document.querySelector('financing-checkout')!);
 * const event = await harness.reach('declined');
 * expect(event?.outcome).toBe('declined');
 * expect(harness.offersOtherMethods).toBe(true);
 * ```
 */
export class FinancingCheckoutHarness {
  readonly element: FinancingCheckout;
  /** The element's requests to the simulated companion. */
  readonly requests: ScenarioRequest[] = [];

  /** @throws Error if the element is not defined yet: import `@financing-checkout/widget/define`. */
  constructor(element: FinancingCheckout) {
    this.element = element;
    if (!element.matches(':defined')) {
      throw new Error('Import @financing-checkout/widget/define before using the harness.');
    }
  }

  /** Sets the scenario for the next start. */
  play(chosen: ScenarioName | Scenario): void {
    const scenario: Scenario = typeof chosen === 'string' ? scenarios[chosen] : chosen;
    const onRequest = (request: ScenarioRequest) => {
      this.requests.push(request);
      scenario.onRequest?.(request);
    };
    this.element.scenario = { ...scenario, onRequest };
  }

  /** The button in the page. */
  get button(): HTMLButtonElement {
    return this.#find('#start') as HTMLButtonElement;
  }

  /** Label of the button; empty if it is hidden. */
  get label(): string {
    const slot = this.button.querySelector('slot');
    const said = slot?.assignedNodes({ flatten: true }).map(({ textContent }) => textContent);
    return this.button.checkVisibility() ? (said ?? []).join('').trim() : '';
  }

  /** Title and text of the notice in the page; empty if there is no notice. */
  get notice(): { readonly title: string; readonly text: string } {
    return { title: this.#read('[part=outcome-title]'), text: this.#read('[part=outcome-text]') };
  }

  /** The last announcement for screen readers. */
  get announced(): string {
    const regions = this.element.shadowRoot?.querySelectorAll('[role=status]') ?? [];
    return [...regions].map((region) => region.textContent.trim()).join('');
  }

  /** Whether the dialog is open. It loads when the button is first pressed. */
  get isOpen(): boolean {
    return this.element.shadowRoot?.querySelector('dialog')?.open ?? false;
  }

  /** Whether the shopper sees the slot `other-methods`. */
  get offersOtherMethods(): boolean {
    return this.#find('[part=other-methods]').checkVisibility();
  }

  /** The simulated lender's page, once it has loaded. */
  get lenderPage(): Document | undefined {
    const frame = this.element.shadowRoot?.querySelector('iframe');
    return frame?.contentDocument ?? undefined;
  }

  /** Presses the button in the page. */
  press(): void {
    this.button.click();
  }

  /** Presses the secondary button: to cancel, or to keep the approved order. */
  pressSecond(): void {
    this.#find('[part=second-button]').click();
  }

  /** Presses the button and waits for the lender's page. */
  async open(): Promise<void> {
    this.press();
    await this.#until('the lender’s page', () => this.#lenderButton('finish') !== undefined);
  }

  /** Completes the lender's page, which then ends as the scenario says. */
  finish(): void {
    this.#pressAtLender('finish');
  }

  /** Leaves the lender's page. */
  leave(): void {
    this.#pressAtLender('leave');
  }

  /** Waits for the next outcome. Call it before the action that causes the outcome. */
  nextOutcome(): Promise<FinancingOutcomeEvent> {
    return this.#next('financing-outcome');
  }

  /** Waits for `financing-order-change`. Call it before the action that causes the event. */
  nextOrderChange(): Promise<FinancingOrderChangeEvent> {
    return this.#next('financing-order-change');
  }

  /** Resets the element to the button from any state. */
  async reset(): Promise<void> {
    this.element.reset();
    this.requests.length = 0;
    await this.element.updateComplete;
  }

  /**
   * Runs a scenario from the button to its end.
   * @returns the outcome; undefined for scenarios that have none (`opening`, `slow`, `confirming`,
   *   `cart-changed`)
   */
  async reach(name: ScenarioName): Promise<FinancingOutcomeEvent | undefined> {
    await this.reset();
    this.play(name);
    let outcome: FinancingOutcomeEvent | undefined;
    switch (name) {
      case 'opening':
        this.press();
        await this.#until('the dialog', () => this.isOpen);
        break;
      case 'slow':
        this.press();
        await this.#until('the slow state', () => this.#isVisible('.slow'));
        break;
      case 'ticket-expired':
      case 'offline': {
        const coming = this.nextOutcome();
        this.press();
        outcome = await coming;
        break;
      }
      case 'cart-changed': {
        const coming = this.nextOrderChange();
        await this.open();
        this.finish();
        await coming;
        break;
      }
      case 'confirming':
        await this.open();
        this.finish();
        await this.#until('the confirmation', () => this.notice.title !== '');
        break;
      case 'approved':
      case 'pending':
      case 'declined':
      case 'cancelled':
      case 'expired':
      case 'failed':
      case 'unavailable':
      case 'unknown': {
        const coming = this.nextOutcome();
        await this.open();
        this.finish();
        outcome = await coming;
      }
    }
    await this.element.updateComplete;
    return outcome;
  }

  #find(selector: string): HTMLElement {
    const found = this.element.shadowRoot?.querySelector<HTMLElement>(selector);
    if (!found) throw new Error('The element has not rendered yet: await element.updateComplete.');
    return found;
  }

  #isVisible(selector: string): boolean {
    return this.element.shadowRoot?.querySelector(selector)?.checkVisibility() ?? false;
  }

  #read(selector: string): string {
    const part = this.#find(selector);
    return part.checkVisibility() ? part.textContent.trim() : '';
  }

  #lenderButton(id: string): HTMLElement | undefined {
    return this.lenderPage?.getElementById(id) ?? undefined;
  }

  #pressAtLender(id: string): void {
    const found = this.#lenderButton(id);
    if (!found) throw new Error('The lender’s page has not loaded: await open() first.');
    found.click();
  }

  #next<T extends 'financing-outcome' | 'financing-order-change'>(
    type: T,
  ): Promise<HTMLElementEventMap[T]> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${type} was not fired in time.`)), TIMEOUT);
      const hear = (event: HTMLElementEventMap[T]) => {
        clearTimeout(late);
        resolve(event);
      };
      this.element.addEventListener(type, hear, { once: true });
    });
  }

  /** Waits for a change in the element's shadow tree. */
  #until(what: string, holds: () => boolean): Promise<void> {
    const root = this.element.shadowRoot;
    return new Promise((resolve, reject) => {
      if (!root || holds()) {
        resolve();
        return;
      }
      const late = setTimeout(() => {
        observer.disconnect();
        reject(new Error(`Timed out waiting for ${what}.`));
      }, TIMEOUT);
      const observer = new MutationObserver(() => {
        if (!holds()) return;
        clearTimeout(late);
        observer.disconnect();
        resolve();
      });
      const everything = { attributes: true, characterData: true, childList: true, subtree: true };
      observer.observe(root, everything);
    });
  }
}
