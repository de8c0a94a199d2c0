import assert from 'node:assert/strict';
import { type FirefoxShopper } from './shopper.ts';

/** Stories of a shopper, with a picture of each important step. */
type Story = (
  shopper: FirefoxShopper,
  picture: (what: string) => Promise<unknown>,
) => Promise<void>;

export const stories: Readonly<Record<string, Story>> = {
  purchase: async (shopper, picture) => {
    await shopper.goToPayment();
    await picture('button');
    const hosted = await shopper.openFinancing();
    await shopper.apply(hosted);
    await shopper.seeOffers(hosted);
    await picture('dialog');
    await shopper.takeOffer(hosted);
    await shopper.untilPaid();
    await picture('paid');
  },

  decline: async (shopper, picture) => {
    await shopper.goToPayment('Decline');
    const hosted = await shopper.openFinancing();
    await shopper.apply(hosted);
    await shopper.untilTold('No offer this time');
    await picture('told');
  },

  cancel: async (shopper, picture) => {
    await shopper.goToPayment();
    await shopper.openFinancing();
    await shopper.close();
    await shopper.untilTold('You left the application');
    assert.ok(await shopper.hasFocusOnButton(), 'The focus is back on the button.');
    await picture('told');
    // Also by keyboard, and in a second attempt.
    await shopper.openFinancing();
    await shopper.page.keyboard.press('Escape');
    await shopper.untilTold('You left the application');
    assert.ok(await shopper.hasFocusOnButton(), 'The focus is back on the button after Escape.');
  },

  resume: async (shopper, picture) => {
    await shopper.goToPayment();
    const before = await shopper.openFinancing();
    await shopper.apply(before);
    await shopper.seeOffers(before);
    await shopper.page.reload();
    await shopper.untilOffered('Continue your application');
    await picture('offered');
    const hosted = await shopper.openFinancing();
    await shopper.takeOffer(hosted);
    await shopper.untilPaid();
    await picture('paid');
  },
};
