import {
  afterNextRender,
  Component,
  inject,
  makeStateKey,
  REQUEST_CONTEXT,
  signal,
  TransferState,
} from '@angular/core';
import type { FinancingOutcomeEvent, FinancingStartEvent } from '@financing-checkout/widget';
import type { Payment } from '../../orders';
import { FinancingCheckoutTag, FinancingPrequalifyTag } from './financing';

const key = makeStateKey<Payment | null>('payment');

@Component({
  selector: 'shop-payment',
  imports: [FinancingCheckoutTag, FinancingPrequalifyTag],
  template: `
    <h1>Pay for your order</h1>
    @if (payment) {
      <label>
        <input type="checkbox" [checked]="agreed()" (change)="agreed.set(!agreed())" />
        I agree to the terms of the shop
      </label>
      <financing-checkout
        [publicKey]="payment.publicKey"
        [environment]="payment.environment"
        [companion]="payment.companion"
        [order]="payment.ticket"
        [texts]="{ label: 'Pay in 12 rates' }"
        (financing-start)="checkTerms($event)"
        (financing-outcome)="showOutcome($event)"
      >
        <a slot="other-methods" href="#card">Pay by card</a>
      </financing-checkout>
      <p role="status">{{ message() }}</p>
      <financing-prequalify
        [publicKey]="payment.publicKey"
        [environment]="payment.environment"
        [companion]="payment.companion"
        currency="USD"
        [texts]="{ label: 'Do I qualify?' }"
      />
    }
  `,
})
export class PaymentPage {
  readonly agreed = signal(false);
  readonly message = signal('');
  readonly payment = this.receivePayment();

  constructor() {
    // Registered only after the handlers are attached, so that no click precedes them.
    afterNextRender(async () => {
      await import('@financing-checkout/widget/define');
      await import('@financing-checkout/widget/prequalify/define');
    });
  }

  checkTerms(event: FinancingStartEvent): void {
    if (!this.agreed()) event.preventDefault();
    this.message.set(this.agreed() ? '' : 'Please agree to the terms.');
  }

  // The event only informs the shopper. The backend must learn of the payment from its webhook.
  async showOutcome({ outcome }: FinancingOutcomeEvent): Promise<void> {
    if (outcome !== 'approved') return;
    const isPaid = async () => {
      const answer = await fetch(`/orders/${this.payment?.merchantOrderId}`);
      return ((await answer.json()) as { status: string }).status === 'paid';
    };
    while (!(await isPaid())) await new Promise((resolve) => setTimeout(resolve, 500));
    this.message.set('Your order is paid.');
  }

  /** Returns what the server signed for this request. The browser receives it with the page. */
  private receivePayment(): Payment | null {
    const transfer = inject(TransferState);
    const signed = inject(REQUEST_CONTEXT, { optional: true }) as Payment | null;
    if (signed) transfer.set(key, signed);
    return transfer.get(key, null);
  }
}
