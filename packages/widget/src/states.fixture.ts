import { Journey, rowsOf } from './journey.fixture.ts';
import type { FinancingCheckout } from './index.ts';

/** Brings an idle element to each state that a shopper can see. A page that is late can no longer send `ready`. */
export const states: Readonly<Record<string, (element: FinancingCheckout) => Promise<unknown>>> =
  Object.fromEntries(
    rowsOf(`
idle | embedded |
disabled | embedded | disable
opening | embedded | prime=never press until=prime
shown | embedded | open
slow | embedded | manners=mute press framed tick=15000
silent | embedded | open tick=5000 go=broken tick=15000
leaving | embedded | cancellation=never open close until=cancellation
confirming | embedded | confirmation=never open confirm until=confirmation
checking | embedded | verdict=unknown open confirm ended
approved | embedded | open confirm ended
pending | embedded | verdict=pending open confirm ended
declined | embedded | farewell=declined open say=declined ended
cancelled | embedded | open say=cancelled ended
expired | embedded | farewell=expired open say=expired ended
failed | embedded | farewell=failed open say=failed ended
stale | embedded | prime=order-ticket-expired press ended
resumable | embedded | open pageshow=restored frameless
away | popup | set=presentation=popup open
phone | phone | open
changed | embedded | restore=@120000 confirmation=changed open confirm changed
offline | embedded | offline prime=refused press ended
unavailable | embedded | verdict=down open confirm ended
`).map(([name = '', presentation = '', steps]) => [
      name,
      (element) => new Journey(presentation, {}, element).run(steps),
    ]),
  );
