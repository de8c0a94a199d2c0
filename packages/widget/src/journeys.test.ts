/*
 * The journeys of a shopper, as tables: what can be seen, and which steps lead there in which presentations,
 * with which requests to the companion and which errors for the developer. `journey.fixture.ts` defines the
 * steps. It also checks in each journey what is always the same: announcement, focus, dialog, windows,
 * the page's events, the headers, keys and tickets of each request, and what the tab stores.
 */
import { describe, it } from 'vitest';
import { inDialog, inPage, Journey, noticeOf, rowsOf } from './journey.fixture.ts';
import type { View } from './journey.fixture.ts';
import { useScriptedSdk } from './sdk.fixture.ts';

useScriptedSdk();

const views: Readonly<Record<string, View>> = {
  idle: inPage('Pay over time'),
  resumable: inPage('Continue your application'),
  leaving: inPage('One moment…', 'One moment…'),
  opening: inDialog('Opening your application…', 'skeleton'),
  shown: inDialog('Your application is ready.', 'frame'),
  slow: inDialog('This is taking longer than usual.', 'again'),
  'slow with a choice': inDialog('This is taking longer than usual.', 'again next'),
  silent: inDialog('This is taking longer than usual.', 'frame again'),
  lost: inDialog('You seem to be offline', 'again'),
  // name | title | text | button | second button | other ways to pay | outcome, and whether a retry is safe
  ...Object.fromEntries(
    rowsOf(`
away | Your application is open | Continue there. This page waits for you and shows the result. | Show the window | Cancel
elsewhere | Your application is open | Continue there. This page waits for you and shows the result. | | Cancel
phone | Continue on your phone | Scan the code with your phone, or open the address there. | | Cancel
phone here | Continue on your phone | A phone cannot open this address: it leads to this device. | | Cancel
on the phone | Your application is open | Continue there. This page waits for you and shows the result.
  Scan the code with your phone, or open the address there. | | Cancel
confirming | Confirming with your lender | This takes a few seconds. Please stay on this page.
checking | We are checking your application | Please do not pay another way yet. This can take a few minutes,
  and you will see the result here. | Check now | | | unavailable false
changed | Your cart has changed | Approved for $1,200.00, your cart is now $1,350.00. You were not charged.
  | Start again | | others
changed back | Your cart has changed | Approved for $1,350.00, your cart is now $1,200.00. You were not charged.
  | Start again | | others
changed, keepable | Your cart has changed | Approved for $1,200.00, your cart is now $1,350.00.
  You were not charged. | Start again | Keep $1,200.00 | others
changed somehow | Your cart has changed | What was approved is not what is in your cart now. You were not charged.
  | Start again | | others
approved | Your financing is approved | $1,299.00 is financed. There is nothing more to do here. | | | | approved
approved, another cart | Your financing is approved | $1,299.00 is financed. Your cart is now $1,350.00: the shop
  will tell you what happens with the difference. | | | | approved
approved before | Your financing is approved | $1,200.00 is financed. Your cart is now $1,350.00: the shop
  will tell you what happens with the difference. | | | | approved
pending | Your application is being reviewed | You can leave this page. The shop will tell you when there is
  a decision. Please do not pay another way meanwhile. | | | | pending
declined | No offer this time | No lender made an offer for this order, and you were not charged. The lender will
  send you the reasons. | | | others | declined
cancelled | You left the application | You were not charged. Start again whenever you like. | Pay over time
  | | others | cancelled
cancelled, with a link | You left the application | You were not charged. The address works for 24 hours: please do
  not use it if you pay another way. | Pay over time | | others | cancelled
expired | Your application ran out of time | You were not charged. You can start again. | Start again | | others | expired
stale | This page has been open for a while | Reload it to go on. You were not charged. | Reload this page | | others | expired
unreachable | Financing cannot be reached right now | You were not charged. Try again in a moment, or pay another way.
  | Try again | | others | unavailable true
offline | You seem to be offline | You were not charged. Try again when you are connected. | Try again | | others | unavailable true
failed | Financing is not available for this order | You were not charged. Please pay another way. | | | others | failed
voided | Your financing was cancelled | This order is not financed any more. | | | others | failed
refunded | Your financing was refunded | $1,299.00 went back to the lender. | | | others | failed
refunded somewhat | Your financing was refunded | | | | others | failed
reduced | A part of your financing was refunded | $300.00 of $1,299.00 went back to the lender. | | | | approved
`).map(([name = '', ...cells]) => [name, noticeOf(cells)]),
  ),
};

// presentations | steps | view at the end | requests | codes of errors
const journeys = {
  'the outcome of the lender’s page': `
embedded popup redirect sdk | open confirm | approved | prime confirmation
embedded popup redirect sdk | open verdict=pending confirm | pending | prime confirmation
embedded popup redirect sdk | open verdict=down confirm | unreachable | prime confirmation
embedded popup redirect sdk | open farewell=declined say=declined | declined | prime cancellation
embedded popup redirect sdk | open farewell=pending say=pending | pending | prime cancellation
embedded popup redirect sdk | open farewell=expired say=expired | expired | prime cancellation
embedded popup redirect sdk | open farewell=failed say=failed | failed | prime cancellation
embedded popup redirect sdk | open say=cancelled | cancelled | prime cancellation
embedded popup redirect | open say=expired | expired | prime cancellation
embedded popup redirect | open say=failed | failed | prime cancellation
embedded popup redirect sdk | open farewell=approved say=declined | approved | prime cancellation
embedded popup redirect | open farewell=approved say=failed | approved | prime cancellation
embedded popup redirect sdk | open farewell=expired say=cancelled | expired | prime cancellation
redirect | open farewell=approved say=teleported | approved | prime cancellation
redirect | open say=teleported | failed | prime cancellation
embedded | open cancellation=refused,html say=declined later | declined | prime cancellation cancellation
embedded popup sdk | open cancellation=refused*2 say=cancelled later | cancelled | prime cancellation cancellation
embedded popup | open cancellation=refused*2 say=expired later | expired | prime cancellation cancellation
embedded | open cancellation=checkout-not-open now=approved say=declined | approved | prime cancellation find
embedded | open cancellation=origin-not-allowed say=declined | declined | prime cancellation | origin-not-allowed
embedded | open cancellation=never farewell=declined say=declined until=cancellation tick=7999 sees=leaving tick=1
  made=cancellation:1 tick=1000 | declined | prime cancellation cancellation
embedded | open farewell=expired say=expired sees=expired open | shown | prime cancellation prime
embedded | open farewell=declined say=declined sees=declined close | ~declined | prime cancellation
embedded | open farewell=declined say=declined sees=declined cart=A-1002 | idle | prime cancellation`,

  leaving: `
embedded | open escape | cancelled | prime cancellation
embedded | open shut | cancelled | prime cancellation
embedded | open x | cancelled | prime cancellation
embedded popup sdk | open close | cancelled | prime cancellation
popup | open window later | cancelled | prime cancellation
popup sdk | open second | cancelled | prime cancellation
sdk | open say=BACK_TO_STORE | cancelled | prime cancellation
sdk | open say=CHANGE_ADDRESS | cancelled | prime cancellation
embedded | open farewell=expired x | expired | prime cancellation
popup | open farewell=pending window later | pending | prime cancellation
popup sdk | open farewell=expired second | expired | prime cancellation
embedded popup sdk | open cancellation=refused*2 close later | cancelled | prime cancellation cancellation
sdk | open second sees=cancelled disposed=1 confirm onConfirm | ~cancelled | prime cancellation
embedded | manners=deaf open close timer tick=999 sees=leaving made=cancellation:0 tick=1 | cancelled | prime cancellation
embedded | manners=deaf open offline close timer load ready sees=leaving later | cancelled | prime cancellation
embedded | manners=deaf open close confirm | approved | prime confirmation
embedded | manners=deaf cancellation=refused*2 open close say=failed later | cancelled | prime cancellation cancellation
embedded | close | idle |
embedded | prime=never press until=prime close aborted | cancelled | prime
embedded | prime=then-close press sees=cancelled unframed | ~cancelled | prime cancellation
popup | set=presentation=popup_embedded prime=held press until=prime window answer sees=cancelled unframed | ~cancelled
  | prime cancellation
embedded popup | open reset | idle | prime
sdk | open reset confirm | idle | prime`,

  'a start': `
embedded | prime=never press until=prime | opening | prime
popup | prime=never press until=prime opened=1 | elsewhere | prime
embedded | twice | shown | prime
embedded | dblclick | shown | prime
embedded | remount remount remount open | shown | prime
embedded | cart=A-1002 start | shown | prime
embedded | prevent start | idle |
embedded | disable start | idle |
embedded | resume=false | idle |
embedded | set=presentation=auto open opened=0 | shown | prime
embedded | set=presentation=sdk_redirect_embedded open | shown | prime
popup | set=presentation=popup_embedded modes=embedded press | shown | prime`,

  'a mistake in the page': `
embedded | set=publicKey= press | failed | | public-key-missing
embedded | set=publicKey=with_space press | failed | | public-key-missing
embedded | remove=public-key press | failed | | public-key-missing
embedded | set=environment= press | failed | | environment-missing
embedded | set=environment=prod press | failed | | environment-missing
embedded | set=environment=Sandbox press | failed | | environment-missing
embedded | set=environment=sandbox_ press | failed | | environment-missing
embedded | set=companion= press | failed | | companion-missing
embedded | set=companion=http://companion.example press | failed | | companion-missing
embedded | set=order= press | failed | | order-missing
embedded | set=presentation=popup_carrier-pigeon press | failed | | presentation-invalid
embedded | set=presentation=redirect set=returnUrl=https://evil.example/ press | failed | | return-url-invalid
embedded | insecure press | failed | | insecure-context
embedded | set=publicKey= press sees=failed set=publicKey=pk-test-1 sees=idle open | shown | prime | public-key-missing
embedded | set=environment= press sees=failed set=environment=sandbox sees=idle open | shown | prime | environment-missing
embedded | set=companion= press sees=failed set=companion=https://companion.example/ sees=idle open | shown | prime | companion-missing
embedded | set=order= press sees=failed cart= sees=idle open | shown | prime | order-missing`,

  'a prime that fails': `
embedded | prime=refused press sees=unreachable open | shown | prime prime= | unreachable
embedded | prime=html press sees=unreachable open | shown | prime prime= | answer-invalid
embedded | prime=cut press sees=unreachable open | shown | prime prime= | answer-invalid
embedded | prime=empty press sees=unreachable open | shown | prime prime= | answer-invalid
embedded | prime=teleported press sees=unreachable open | shown | prime prime= | answer-invalid
embedded | prime=no-whole-amount press | unreachable | prime | answer-invalid
embedded | prime=no-exact-amount press | unreachable | prime | answer-invalid
embedded | prime=nothing-to-show press | unreachable | prime | answer-invalid
embedded | prime=never press until=prime tick=29999 sees=opening tick=1 | unreachable | prime | timeout
popup | prime=refused press | unreachable | prime | unreachable
embedded | offline prime=refused press sees=offline online | ~unreachable | prime | unreachable
embedded | prime=service-unavailable press | unreachable | prime | service-unavailable
embedded | prime=overloaded press | unreachable | prime | overloaded
embedded | prime=rate-limited press | unreachable | prime | rate-limited
embedded | prime=internal press | unreachable | prime | internal
embedded | prime=public-key-invalid press | failed | prime | public-key-invalid
embedded | prime=origin-not-allowed press | failed | prime | origin-not-allowed
embedded | prime=version-unsupported press | failed | prime | version-unsupported
embedded | prime=environment-mismatch press | failed | prime | environment-mismatch
embedded | prime=private-key-exposed press | failed | prime | private-key-exposed
embedded | prime=order-ticket-invalid press | failed | prime | order-ticket-invalid
embedded | prime=order-totals-mismatch press | failed | prime | order-totals-mismatch
embedded | prime=production press unframed | failed | prime | environment-mismatch
embedded | prime=own-origin press unframed | failed | prime | hosted-url-invalid
embedded | prime=plain-http press unframed | failed | prime | hosted-url-invalid
embedded | prime=script press unframed | failed | prime | hosted-url-invalid
embedded | prime=order-ticket-expired press sees=stale cart= sees=idle open | shown | prime prime | order-ticket-expired
embedded | prime=checkout-not-open! press sees=checking open | shown | prime prime | checkout-not-open
embedded | prime=order-ticket-used! press sees=checking open | shown | prime prime | order-ticket-used
embedded | prime=idempotency-in-flight! press later=shown | shown | prime prime=
embedded | prime=idempotency-in-flight*9 press later | unreachable | prime prime= prime= prime= prime= prime= | idempotency-in-flight
embedded | prime=never press until=prime reload open | shown | prime prime=
embedded | prime=never,idempotency-key-reused! press until=prime reload open | shown | prime prime= prime
embedded | prime=never,expired press until=prime reload open | shown | prime prime= prime
embedded | prime=idempotency-key-reused!*2 press | failed | prime prime | idempotency-key-reused`,

  'a confirmation': `
embedded popup redirect sdk | open confirmation=refused confirm later | approved | prime confirmation confirmation
embedded | open confirmation=never confirm until=confirmation tick=29999 sees=confirming tick=1 made=confirmation:1
  tick=1000 | approved | prime confirmation confirmation
embedded popup redirect | open verdict=unknown confirm sees=checking made=find:0 tick=7000 made=confirmation:1
  now=approved later | approved | prime confirmation find+
embedded | open verdict=unknown confirm sees=checking now=approved press | approved | prime confirmation find
embedded | open verdict=unknown confirm sees=checking online until=find | ~checking | prime confirmation find
embedded | open verdict=unknown confirm sees=checking hide tick=60000 made=find:0 show until=find | ~checking
  | prime confirmation find
embedded | open verdict=confirming confirm sees=confirming now=declined later | declined | prime confirmation find+
embedded | open confirmation=checkout-not-found confirm | failed | prime confirmation | checkout-not-found
embedded | open confirmation=refused,checkout-not-found confirm later sees=checking later | approved
  | prime confirmation confirmation confirmation
embedded | open confirmation=rate-limited*3 confirm later sees=checking press later | approved
  | prime confirmation confirmation confirmation confirmation
embedded redirect | open confirmation=refused*2 confirm later sees=checking later | approved
  | prime confirmation confirmation confirmation
embedded | open confirmation=rate-limited,order-ticket-invalid confirm later | failed
  | prime confirmation confirmation | order-ticket-invalid
embedded | open confirmation=checkout-not-open!*2 confirm later sees=checking of=none prime=checkout-not-open! press
  | checking | prime confirmation find confirmation prime | checkout-not-open checkout-not-open
embedded | open confirmation=checkout-not-open*2 confirm later sees=checking later | approved
  | prime confirmation find confirmation find confirmation
embedded | open confirmation=checkout-not-open now=expired confirm later | expired | prime confirmation find`,

  'a lender’s page that does not load': `
embedded | manners=mute press framed tick=14999 sees=opening tick=1 sees=slow again sees=opening tick=15000 sees=slow
  close | cancelled | prime cancellation
embedded | open online sees=shown tick=5000 offline go=nowhere sees=lost network again | shown | prime
embedded | open tick=5000 offline go=nowhere sees=lost online | shown | prime
embedded | open offline go=lender | shown | prime
embedded | open tick=4000 go=broken tick=14000 sees=shown tick=1000 sees=silent again sees=shown confirm | approved
  | prime confirmation
embedded | open tick=4000 go=nowhere tick=14000 sees=shown tick=1000 sees=silent x later | cancelled | prime cancellation
embedded | open tick=4000 go=mute tick=15000 sees=silent confirm | approved | prime confirmation
embedded | open tick=4000 go=mute tick=14000 ready tick=60000 | shown | prime
embedded | manners=mute press arrived ready sees=shown tick=4000 go=broken tick=15000 | silent | prime
embedded | open tick=4000 go=broken tick=15000 sees=silent go=lender sees=shown tick=60000 | shown | prime
embedded | open tick=4000 go=broken tick=15000 sees=silent offline go=nowhere sees=lost online | shown | prime
embedded | open tick=4000 go=broken tick=15000 sees=silent online tick=4000 | silent | prime
embedded | open tick=4000 go=lender tick=4000 go=lender tick=4000 go=lender tick=60000 | shown | prime
embedded | open tick=4000 hang tick=60000 sees=shown close later | cancelled | prime cancellation
embedded | set=presentation=embedded_popup link=none modes=embedded,popup manners=mute press framed tick=15000
  sees=slow_with_a_choice blocked next opened=1 | unreachable | prime link | invalid-request
embedded | set=presentation=embedded_popup modes=embedded,popup manners=mute press framed tick=15000
  sees=slow_with_a_choice next opened=1 | away | prime
embedded | set=presentation=embedded_sdk link=none script=http://lender.example/sdk.js manners=mute press framed
  tick=15000 sees=slow_with_a_choice next opened=0 | unreachable | prime link | sdk-unusable invalid-request`,

  'a reload': `
embedded popup | open reload sees=resumable open confirm | approved | prime find confirmation
embedded | open remount sees=resumable open confirm | approved | prime find confirmation
embedded | open reload resume=true | shown | prime find
embedded | open reload disable resume=false enable prevent resume=false | resumable | prime
embedded | open reload=A-1002 sees=idle open | shown | prime prime
embedded | open reload=@150000 open | shown | prime find cancellation prime
embedded | open farewell=approved reload=@135000 press | approved, another cart | prime find cancellation
embedded popup | open now=approved reload press | approved | prime find
embedded | open now=pending reload press | pending | prime find
embedded | open now=declined reload press | declined | prime find
embedded | open now=failed reload press | failed | prime find
embedded | open now=cancelled reload open | shown | prime find prime
embedded | open now=expired reload open | shown | prime find prime
embedded | open reload find=checkout-not-found open | shown | prime find prime
embedded | open confirm sees=approved reload | approved* | prime confirmation find
embedded | open verdict=pending confirm sees=pending reload | pending* | prime confirmation find
embedded | open verdict=pending confirm sees=pending now=approved reload sees=approved reload | approved*
  | prime confirmation find find
embedded | open confirmation=never confirm until=confirmation now=approved reload | approved | prime confirmation find
embedded | open confirmation=never confirm until=confirmation reload until=find sees=resumable open | shown
  | prime confirmation find find
embedded | open confirm sees=approved find=checkout-not-found reload until=find | idle | prime confirmation find
embedded | open confirm sees=approved find=refused,html reload later sees=checking later | approved*
  | prime confirmation find find find
embedded | open now=confirming reload press until=find now=approved later | approved | prime find find
popup | open reload now=confirming press | confirming | prime find
embedded | open reload find=refused,html press later sees=checking of=checkout-1 later=resumable | resumable | prime find find find
embedded | open reload find=public-key-invalid*3 press later=find:3 sees=checking | ~checking | prime find find find
  | public-key-invalid
embedded | open farewell=approved reload find=never press until=find close | approved | prime find cancellation
embedded | open pageshow=restored sees=resumable open | shown | prime find
embedded | open pageshow | shown | prime`,

  'a blocked window': `
popup | set=presentation=popup_embedded blocked press opened=1 | shown | prime
popup | link=none blocked press sees=unreachable open confirm | approved | prime link find confirmation | invalid-request
popup | blocked press | phone | prime link cancellation
popup | blocked press sees=phone close sees=cancelled,_with_a_link blocked press | phone | prime link cancellation cancellation prime link cancellation
popup | blocked prime=opened,invalid-request press sees=unreachable of=checkout-1 | ~unreachable | prime link | invalid-request
popup | blocked prime=opened,checkout-not-open! press | checking | prime link | checkout-not-open
popup | blocked prime=opened,order-changed! press | failed | prime link | order-changed
popup | blocked prime=opened,outcome-unknown! press | failed | prime link | outcome-unknown
popup | blocked prime=opened,never press until=prime:2 close | cancelled | prime link cancellation`,

  'a window that isolates itself': `
popup | manners=isolated press gone sees=away later=find:2 made=cancellation:0 now=confirming later=confirming
  now=approved later | approved | prime find+
popup | manners=isolated press gone manners= press opened=2 gone second later | cancelled | prime cancellation
popup | manners=isolated press gone find=origin-not-allowed later | failed | prime find | origin-not-allowed`,

  'a phone': `
phone | open sees=phone link=opened online sees=on_the_phone now=approved online | approved | link find+
phone | link=local open | phone here | link
phone | open now=confirming online | confirming | link find+
phone | open now=declined online | declined | link find+
phone | open second | cancelled, with a link | link cancellation
phone | open second sees=cancelled,_with_a_link open now=approved online | approved | link cancellation link find+
phone | open cancellation=refused*2 close later | cancelled, with a link | link cancellation cancellation
phone | open farewell=approved close | approved | link cancellation
phone | open link=expired online | expired | link find+ cancellation
phone | open find=refused,html,cut link=opened online until=find:1 online until=find:2 online until=find:3 online
  | on the phone | link find+
phone | prime=script-link second | unreachable | link | link-unusable
phone | prime=public-key-invalid second | failed | link | public-key-invalid
phone | press sees=shown pageshow=restored sees=resumable open | phone | prime find cancellation link
phone | press sees=shown close | cancelled | prime cancellation
phone | disable second | idle |
phone | open reload sees=phone link=opened online | on the phone | link find+
phone | open link=opened online sees=on_the_phone close sees=cancelled,_with_a_link reload second | on the phone | link find+ cancellation link
phone | open now=approved reload | approved | link find
phone | open link=expired reload | expired | link find cancellation
phone | open find=checkout-not-found reload later=find | idle | link find+
phone | open reload=@154800 until=find sees=resumable press | shown | link find+ cancellation prime`,

  'a cart that changes': `
embedded popup sdk | open cart=@135000 confirmation=changed confirm | changed | prime confirmation
embedded | open cart=@135000 sees=shown confirmation=changed-sum-kept confirm | changed somehow | prime confirmation
embedded | open cart=@135000 confirmation=changed-somehow confirm | changed somehow | prime confirmation
embedded | open farewell=pending cart=@135000 confirmation=changed confirm sees=changed open confirm | approved, another cart
  | prime confirmation cancellation prime confirmation
embedded | manners=deaf open confirmation=changed close confirm sees=changed manners= open close | cancelled
  | prime confirmation cancellation prime cancellation
embedded | open farewell=approved cart=@135000 confirmation=changed confirm sees=changed press | approved, another cart
  | prime confirmation cancellation
embedded | restore=@120000 open cart=@135000 confirmation=changed confirm sees=changed,_keepable second | approved, another cart
  | prime confirmation confirmation
embedded | restore=held open cart=@135000 confirmation=changed confirm sees=changed,_keepable second second
  restored=1 | approved, another cart | prime confirmation confirmation
embedded | restore=@1 open cart=@135000 confirmation=changed,changed confirm sees=changed,_keepable second
  until=confirmation:2 | changed | prime confirmation confirmation
embedded | restore=@120000 open cart=@135000 confirmation=changed confirm sees=changed,_keepable open
  confirmation=changed-back confirm | changed back | prime confirmation cancellation prime confirmation
embedded | restore=refused open cart=@135000 confirmation=changed confirm sees=changed,_keepable tap | changed
  | prime confirmation | order-not-restored
embedded | open cart=A-2002@135000 confirm | approved | prime confirmation
embedded | open now=approved@120000 reload=@135000 press | approved before | prime find
embedded | open confirm sees=approved cart=@135000 sees=approved,_another_cart* cart=A-3003 | idle | prime confirmation find
embedded | open confirm sees=approved cart=@135000EUR | approved* | prime confirmation find
embedded | open confirm sees=approved cart=@1350.5 | approved* | prime confirmation find
embedded | open verdict=pending confirm sees=pending cart=@135000 | pending* | prime confirmation find`,

  'a reversal': `
embedded | open confirm sees=approved now=approved/voided reload | voided | prime confirmation find
embedded | open confirm sees=approved now=approved/refunded@129900 reload | refunded | prime confirmation find
embedded | open confirm sees=approved now=approved/refunded reload | refunded somewhat | prime confirmation find
embedded | open confirm sees=approved now=approved/reduced@30000 reload | reduced* | prime confirmation find
embedded | prime=approved/voided*2 press sees=voided reload press | voided | prime prime
embedded | prime=approved/refunded@129900*2 press sees=refunded reload press | refunded | prime prime
embedded | prime=approved/reduced@30000*2 press sees=reduced reload press | reduced | prime prime
embedded | open confirm sees=approved find=reversed*9 reload later | checking | prime confirmation find+`,

  'the SDK of the service': `
sdk | open say=CREATE_CHECKOUT_FAILED | unreachable | prime cancellation
sdk | open say=GENERAL | unreachable | prime cancellation
sdk | open cancellation=refused*2 say=SOMETHING_NEW later | unreachable | prime cancellation cancellation
sdk | open say=TOTAL_AMOUNT_MISMATCH | failed | prime cancellation | sdk-total-amount-mismatch
sdk | open say=BILLING_SHIPPING_MISMATCH | failed | prime cancellation | sdk-billing-shipping-mismatch
sdk | open say=MISSING_CHECKOUT_DATA | failed | prime cancellation | sdk-missing-checkout-data
sdk | open say=MERCHANT_CONTAINER_NOT_FOUND | failed | prime cancellation | sdk-merchant-container-not-found
sdk | open farewell=declined say=SOMETHING_NEW | declined | prime cancellation
sdk | open farewell=approved say=SOMETHING_NEW | approved | prime cancellation
sdk | open say=SOMETHING_NEW | cancelled | prime cancellation
sdk | open farewell=pending say=NONE | pending | prime cancellation
sdk | open say=NONE | cancelled | prime cancellation
sdk | open decide=PENDING:l1 decide=DECLINE:l1 decide=DECLINE:l2 say=BACK_TO_STORE | declined | prime cancellation
sdk | open decide=DECLINE:l1 decide=APPROVED:l2 say=BACK_TO_STORE | cancelled | prime cancellation
sdk | open onConfirm until=confirmation tick=50 sees=confirming confirm | approved | prime confirmation
sdk | open onConfirm until=confirmation tick=9999 sees=confirming tick=1 | approved | prime confirmation
sdk | open onConfirm say=GENERAL | approved | prime confirmation
sdk | open move confirm | approved | prime confirmation
sdk | open remount confirm | approved | prime confirmation`,

  'a script that fails': `
sdk | set=presentation=sdk_embedded sdk=slow press requested tick=14999 sees=opening tick=1 | shown | prime | sdk-timeout
sdk | set=presentation=sdk_embedded sdk=init-rejects press loaded later=shown | shown | prime | sdk-unusable
sdk | set=presentation=sdk_embedded sdk=init-hangs press loaded later=shown | shown | prime | sdk-timeout
sdk | set=presentation=sdk_embedded sdk=no-payments press loaded later=shown | shown | prime | sdk-timeout
sdk | set=presentation=sdk_embedded global=none press | shown | prime | sdk-unusable
sdk | set=presentation=sdk_embedded global=form press | shown | prime | sdk-unusable
sdk | set=presentation=sdk_embedded global=throws press | shown | prime | sdk-unusable
sdk | set=presentation=sdk_embedded global=rejects press | shown | prime | sdk-unusable
sdk | set=presentation=sdk_embedded global=another-key press | shown | prime | sdk-key-conflict
sdk | set=presentation=sdk_embedded unscripted press | shown | prime | sdk-unreachable
sdk | set=presentation=sdk_embedded prime=no-script press | shown | prime | sdk-unusable
sdk | set=presentation=sdk_embedded script=http://lender.example/sdk.js press | shown | prime | sdk-unusable
sdk | sdk=late open | elsewhere | prime
sdk | link=none sdk=flaky press sees=unreachable open confirm | approved | prime link find confirmation
  | sdk-unreachable invalid-request
sdk | link=none sdk=init-rejects-once press loaded sees=unreachable open confirm | approved | prime link find confirmation
  | sdk-unusable invalid-request`,
};

describe.each(Object.entries(journeys))('%s', (_, table) => {
  const runs = rowsOf(table).flatMap(([presentations = '', ...row]) =>
    presentations.split(' ').map((presentation) => [presentation, ...row]),
  );
  it.each(runs)('%s | %s | %s', async (presentation, steps, view, requests, codes) => {
    const journey = new Journey(presentation, views);
    await journey.mount();
    await journey.run(steps);
    await journey.end(view, requests, codes);
  });
});
