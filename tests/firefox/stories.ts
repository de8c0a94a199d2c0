import assert from 'node:assert/strict';
import { type FirefoxShopper } from './shopper.ts';

/** Stories of a shopper, with a picture of each important step. */
type Story = (
  shopper: FirefoxShopper,
  picture: (what: string) => Promise<unknown>,
  /** Opens a page of another person in the same browser. */
  arrive: () => Promise<FirefoxShopper>,
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

  'purchase from a message': async (shopper, picture) => {
    const text = await shopper.readMessage('alder-lounge-chair');
    assert.match(text, /9\.99% APR.*\$1,033\.74/s);
    const application = await shopper.openPrequalification();
    await shopper.introduce(application);
    await shopper.apply(application);
    await shopper.untilPrequalified();
    await picture('prequalified');
    await shopper.goToPayment();
    // The lender knows the shopper: there are offers at once.
    await shopper.takeOffer(await shopper.openScript());
    await shopper.untilPaid();
    await picture('paid');
  },

  'purchase by a link': async (shopper, picture, arrive) => {
    await shopper.goToPayment();
    const order = await shopper.orderNumber();
    const address = await shopper.receiveLink(order);
    await picture('link');
    const phone = await arrive();
    await phone.page.setViewport({ width: 390, height: 844 });
    await phone.page.goto(address);
    const hosted = phone.page.mainFrame();
    await phone.apply(hosted);
    await phone.takeOffer(hosted);
    await shopper.untilStaffSeesPaid();
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
    // Leaves by keyboard as well, in a second attempt.
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
