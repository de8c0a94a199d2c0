/** A product of the shop. */
export interface Product {
  /** Slug in the URLs of the product's page and picture. */
  slug: string;
  sku: string;
  name: string;
  category: 'Seating' | 'Tables' | 'Storage' | 'Bedroom' | 'Light & textiles';
  /** Unit price, in US cents. */
  price: number;
  /** One line below the name. */
  summary: string;
  description: string;
  facts: readonly (readonly [label: string, value: string])[];
  /** Text alternative for the picture. */
  alt: string;
  /** Discount per unit, in US cents, from this quantity on. */
  setOffer?: { quantity: number; off: number; name: string };
}

export const products: readonly Product[] = [
  {
    slug: 'alder-lounge-chair',
    sku: 'NB-ALD-01',
    name: 'Alder lounge chair',
    category: 'Seating',
    price: 89_000,
    summary: 'A low reading chair with a high back.',
    description:
      'The frame is steam-bent from two lengths of alder, so the arms and the back legs are one piece without a joint to work loose. Seat and back are loose cushions: turn them twice a year and they keep their shape.',
    facts: [
      ['Size', '29 W × 32 D × 38 H in'],
      ['Seat height', '16 in'],
      ['Frame', 'Solid alder, soap finish'],
      ['Cover', 'Wool felt, pine green'],
    ],
    alt: 'Lounge chair with green cushions and slender wooden arms',
  },
  {
    slug: 'fen-sofa',
    sku: 'NB-FEN-03',
    name: 'Fen sofa',
    category: 'Seating',
    price: 249_000,
    summary: 'Three seats, one long afternoon.',
    description:
      'Deep enough to lie on and firm enough to get up from. The covers come off for washing, and each cushion can be had again on its own, ten years on.',
    facts: [
      ['Size', '88 W × 37 D × 31 H in'],
      ['Seat height', '17 in'],
      ['Frame', 'Kiln-dried ash, doweled'],
      ['Cover', 'Cotton and linen, rust'],
    ],
    alt: 'Three-seat sofa in rust red with one mustard cushion',
  },
  {
    slug: 'wren-chair',
    sku: 'NB-WRE-01',
    name: 'Wren chair',
    category: 'Seating',
    price: 34_000,
    summary: 'The dining chair that carries seven spindles.',
    description:
      'Seven turned spindles, a seat carved to sit in and legs that are wedged through it, as chairs were made before screws. Light enough to lift with two fingers.',
    facts: [
      ['Size', '19 W × 21 D × 33 H in'],
      ['Seat height', '17.5 in'],
      ['Wood', 'Solid birch'],
      ['Weight', '9 lb'],
    ],
    alt: 'Wooden dining chair with a spindle back',
    setOffer: { quantity: 4, off: 3_000, name: 'Wren chairs, set of four or more' },
  },
  {
    slug: 'pebble-ottoman',
    sku: 'NB-PEB-01',
    name: 'Pebble ottoman',
    category: 'Seating',
    price: 29_000,
    summary: 'A footstool, a spare seat, a side table with a tray.',
    description:
      'Round on every side, so no one walks into a corner at night. The cover is one knitted tube: pull it off over the top and wash it cold.',
    facts: [
      ['Size', '24 across × 16 H in'],
      ['Cover', 'Knitted wool, marigold'],
      ['Filling', 'Natural latex'],
      ['Weight', '15 lb'],
    ],
    alt: 'Round knitted ottoman in marigold yellow',
  },
  {
    slug: 'tarn-table',
    sku: 'NB-TAR-72',
    name: 'Tarn dining table',
    category: 'Tables',
    price: 178_000,
    summary: 'Seats six every day and eight at a squeeze.',
    description:
      'The top is four boards of white oak cut from one log and joined in the order they grew in, so the grain runs through. It is oiled: a ring from a wet glass sands out by hand.',
    facts: [
      ['Size', '72 W × 36 D × 29 H in'],
      ['Wood', 'Solid white oak'],
      ['Finish', 'Hard wax oil'],
      ['Seats', '6 to 8'],
    ],
    alt: 'Oak dining table with a bowl of pears on it',
  },
  {
    slug: 'ridge-desk',
    sku: 'NB-RDG-54',
    name: 'Ridge desk',
    category: 'Tables',
    price: 129_000,
    summary: 'A desk with somewhere to hide the cables.',
    description:
      'A channel along the back takes chargers and their cables; a lid of the same oak closes over it. Two shallow drawers hold what a desk collects.',
    facts: [
      ['Size', '54 W × 27 D × 29 H in'],
      ['Wood', 'Oak veneer on birch ply'],
      ['Drawers', 'Two, dovetailed'],
      ['Cable channel', '4 in deep, full width'],
    ],
    alt: 'Desk with two drawers, a lamp and a small plant',
  },
  {
    slug: 'hollow-bookcase',
    sku: 'NB-HOL-05',
    name: 'Hollow bookcase',
    category: 'Storage',
    price: 112_000,
    summary: 'Five shelves that do not bow.',
    description:
      'Each shelf is let into the sides along its whole depth and carries 90 pounds. It stands without a back, so it divides a room as well as it lines a wall. A strap for the wall is in the box.',
    facts: [
      ['Size', '40 W × 13 D × 74 H in'],
      ['Wood', 'Solid ash'],
      ['Load', '90 lb a shelf'],
      ['Assembly', 'Two people, 40 minutes'],
    ],
    alt: 'Tall open bookcase with books, a vase and a trailing plant',
  },
  {
    slug: 'cove-sideboard',
    sku: 'NB-COV-64',
    name: 'Cove sideboard',
    category: 'Storage',
    price: 164_000,
    summary: 'Sliding doors of slatted walnut.',
    description:
      'The doors are tambours: narrow walnut slats on linen that slide around the corner and out of the way. A remote control works straight through them.',
    facts: [
      ['Size', '64 W × 18 D × 30 H in'],
      ['Wood', 'Black walnut'],
      ['Inside', 'Three bays, six shelves'],
      ['Cable holes', 'One a bay'],
    ],
    alt: 'Walnut sideboard with slatted doors under a round mirror',
  },
  {
    slug: 'quill-bed',
    sku: 'NB-QUI-Q',
    name: 'Quill bed, queen',
    category: 'Bedroom',
    price: 196_000,
    summary: 'A headboard to lean on, slats that stay quiet.',
    description:
      'The slats sit in rubber cups and the rails hook into the posts with steel that tightens as it is loaded. Nothing creaks. The headboard leans back by eight degrees, which is the angle for reading.',
    facts: [
      ['Size', '65 W × 86 L × 40 H in'],
      ['Mattress', 'Queen, 60 × 80 in'],
      ['Wood', 'Solid cherry'],
      ['Under the bed', '9 in clear'],
    ],
    alt: 'Cherry bed with blue linen and two pillows',
  },
  {
    slug: 'lark-wardrobe',
    sku: 'NB-LRK-48',
    name: 'Lark wardrobe',
    category: 'Bedroom',
    price: 215_000,
    summary: 'Room for two, with a drawer for each.',
    description:
      'One long hanging bay and one of shelves, behind doors that close themselves over the last inch. It comes apart into panels that go up a narrow stair.',
    facts: [
      ['Size', '48 W × 24 D × 80 H in'],
      ['Wood', 'Birch, painted sage'],
      ['Hanging', '42 in of rail'],
      ['Assembly', 'Included with delivery'],
    ],
    alt: 'Two-door wardrobe painted sage green with brass knobs',
  },
  {
    slug: 'ember-lamp',
    sku: 'NB-EMB-01',
    name: 'Ember floor lamp',
    category: 'Light & textiles',
    price: 42_000,
    summary: 'Light for one page, or for the whole corner.',
    description:
      'A pleated paper shade on three ash legs. The dimmer remembers where it was, and the bulb, which is in the box, is an ordinary one you can buy anywhere.',
    facts: [
      ['Size', '18 across × 60 H in'],
      ['Legs', 'Solid ash'],
      ['Bulb', 'E26, 12 W, 2700 K'],
      ['Cord', '8 ft, cloth'],
    ],
    alt: 'Tripod floor lamp with a glowing pleated shade',
  },
  {
    slug: 'marl-rug',
    sku: 'NB-MRL-58',
    name: 'Marl rug',
    category: 'Light & textiles',
    price: 58_000,
    summary: 'Woven wool, five by eight.',
    description:
      'Undyed and dyed yarns twisted together, so the color has depth and crumbs have nowhere to show. Woven flat and the same on both sides: turn it over for its other half of life.',
    facts: [
      ['Size', '5 × 8 ft'],
      ['Material', 'New wool on cotton warp'],
      ['Height', '0.3 in'],
      ['Care', 'Vacuum; spot clean'],
    ],
    alt: 'Flat-woven rug with arches in clay, sand and blue',
  },
];

const bySlug = new Map(products.map((product) => [product.slug, product]));

export function findProduct(slug: string): Product | undefined {
  return bySlug.get(slug);
}
