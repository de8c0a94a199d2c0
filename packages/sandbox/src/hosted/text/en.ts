/** The texts of the hosted page. Each language is an object with this shape. */
export const en = {
  locale: 'en-US',
  brand: 'Order Financing',
  test: 'Test environment',
  testNotice: 'Test environment. No lender, no money and no credit check is real.',
  steps: { label: 'Progress', details: 'Your details', offers: 'Choose an offer', done: 'Done' },
  stepOf: (step: number) => `Step ${step} of 3`,
  order: {
    title: 'Your order',
    reference: (id: string) => `Order ${id}`,
    show: 'Show items',
    quantity: (count: number) => `${count} ×`,
    discount: 'Discount',
    tax: 'Tax',
    shipping: 'Shipping',
    shippingTax: 'Tax on shipping',
    unnamed: 'Item',
    free: 'Free',
    total: 'Total to finance',
  },
  /** Replaces the order for an application without one. */
  noOrder: {
    title: 'No order yet',
    total: 'Offers are shown for',
    /** Replaces `total` if the shop has stated no amount. */
    example: 'Offers are examples for',
  },
  details: {
    title: 'Tell us about yourself',
    lead: 'Several lenders look at this and answer at once. Asking does not affect your credit score.',
    firstName: 'First name',
    lastName: 'Last name',
    email: 'E-mail',
    phone: 'Mobile phone',
    phoneHint: 'With area code, digits only if you like',
    birthDate: 'Date of birth',
    birthDateHint: 'You must be 18 or older',
    income: (currency: string) => `Yearly income before tax (${currency})`,
    incomeHint: 'From all sources, for example 52000',
    consent: 'I agree that the lenders may check my details to make me an offer.',
    submit: 'See my offers',
    submitting: 'Asking the lenders…',
  },
  errors: {
    title: (count: number) =>
      count === 1 ? 'One thing needs another look' : `${count} things need another look`,
    firstName: 'Enter your first name',
    lastName: 'Enter your last name',
    email: 'Enter an e-mail address, such as name@example.com',
    phone: 'Enter a phone number of 7 to 15 digits',
    birthDate: 'Enter your date of birth',
    tooYoung: 'You must be 18 or older to apply',
    income: 'Enter your yearly income as a number, such as 52000',
    consent: 'Tick the box to let the lenders check your details',
    offer: 'Choose one of the offers',
    agree: 'Tick the box to agree to the terms of your offer',
  },
  offers: {
    title: 'You are approved. Choose how to pay',
    lead: 'Loans first, the lowest total first; then leases.',
    legend: 'Offers',
    perMonth: 'per month',
    for: (months: number) => `for ${months} months`,
    term: 'Term',
    months: (months: number) => `${months} months`,
    apr: 'APR',
    interest: 'Interest',
    none: 'None',
    leaseCost: 'Cost of the lease',
    total: 'Total you pay',
    lastPayment: 'Last payment',
    product: {
      Installments: 'Installment loan',
      LineOfCredit: 'Line of credit',
      LeaseToOwn: 'Lease to own',
      MerchantSelfFinancing: 'Financed by the shop',
    },
    leaseNote: 'Without sales tax: the lessor collects it with the payments.',
    promotional: 'Interest-free',
    agree:
      'I have read the terms of the offer I chose and agree to pay it back in the monthly payments shown.',
    submit: 'Agree and confirm',
    submitting: 'Confirming…',
  },
  confirmed: {
    title: 'All set',
    lead: (lender: string) => `${lender} is financing your order.`,
    payments: (count: number, amount: string, last: string | undefined) =>
      last === undefined
        ? `${count} monthly payments of ${amount}`
        : `${count - 1} monthly payments of ${amount}, and a last one of ${last}`,
    first: 'The first payment is due in a month.',
    back: 'Continue to the shop',
  },
  applied: {
    title: 'You are approved',
    lead: (lender: string, amount: string) => `${lender} lends you up to ${amount}.`,
  },
  ended: {
    declined: {
      title: 'No offer this time',
      lead: 'None of the lenders could make an offer for this order. Each will write to you with its reasons. Nothing was charged, and you can pay another way.',
    },
    noLender: {
      title: 'No lender for this',
      lead: 'We found no lender to ask about it, and none has declined you. Nothing was charged, and you can pay another way.',
    },
    pending: {
      title: 'A lender needs a little longer',
      lead: 'Your application is with the lender. You can close this page: the shop will hear as soon as it is decided.',
    },
    information: {
      title: 'One more thing is needed',
      lead: 'The lender has sent you an e-mail that asks for a document. Your order waits until it has arrived.',
    },
    review: {
      title: 'The shop looks at your order first',
      lead: 'The lender has asked the shop to. You can close this page: the shop will hear as soon as it is decided.',
    },
    cancelled: {
      title: 'You left the application',
      lead: 'Nothing was charged. You can start again from the shop whenever you like.',
    },
    expired: {
      title: 'This session has run out',
      lead: 'For your safety an application is open for a limited time. Nothing was charged. Start again from the shop.',
    },
    authorized: { title: 'This order is financed', lead: 'There is nothing left to do here.' },
    failed: {
      title: 'This page cannot be used',
      key: 'The shop sent a public key that this environment does not know. (For the shop: compare the public key with the environment.)',
      session: 'There is no open application at this address. Start again from the shop.',
      address:
        'The address of this page is not complete. (For the shop: origin must be an http or https origin, and the return address must be on it.)',
    },
    link: {
      title: 'This link has ended',
      lead: 'A link is open for a day, and until a lender has decided. Ask the shop for a new one.',
    },
    back: 'Back to the shop',
    backToShopPage: 'You can go back to the shop’s page now, and close this one.',
    close: 'You can close this window.',
  },
  cancel: 'Cancel and go back',
  developers: {
    title: 'For developers: force an outcome',
    lead: 'The last name decides:',
    other: 'any other name',
    approved: 'an offer of each lender',
  },
};

export type Text = typeof en;
