import { Directive, effect, ElementRef, inject, input } from '@angular/core';
import type { Environment, FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingPrequalify } from '@financing-checkout/widget/prequalify';

// With directives, the compiler checks tags, properties and their values. A server renders the
// attributes.
@Directive({
  selector: 'financing-checkout',
  host: {
    '[attr.public-key]': 'publicKey()',
    '[attr.environment]': 'environment()',
    '[attr.companion]': 'companion()',
    '[attr.order]': 'order()',
  },
})
export class FinancingCheckoutTag {
  readonly publicKey = input.required<FinancingCheckout['publicKey']>();
  readonly environment = input.required<Environment>();
  readonly companion = input.required<FinancingCheckout['companion']>();
  readonly order = input.required<FinancingCheckout['order']>();
  readonly texts = input<FinancingCheckout['texts']>({});

  constructor() {
    const { nativeElement } = inject<ElementRef<FinancingCheckout>>(ElementRef);
    effect(() => {
      nativeElement.texts = this.texts();
    });
  }
}

@Directive({
  selector: 'financing-prequalify',
  host: {
    '[attr.public-key]': 'publicKey()',
    '[attr.environment]': 'environment()',
    '[attr.companion]': 'companion()',
    '[attr.currency]': 'currency()',
  },
})
export class FinancingPrequalifyTag {
  readonly publicKey = input.required<FinancingPrequalify['publicKey']>();
  readonly environment = input.required<Environment>();
  readonly companion = input.required<FinancingPrequalify['companion']>();
  readonly currency = input.required<FinancingPrequalify['currency']>();
  readonly texts = input<FinancingPrequalify['texts']>({});

  constructor() {
    const { nativeElement } = inject<ElementRef<FinancingPrequalify>>(ElementRef);
    effect(() => {
      nativeElement.texts = this.texts();
    });
  }
}
