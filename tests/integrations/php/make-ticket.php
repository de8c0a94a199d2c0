<?php
// Writes the fixture ticket-of-200-lines.txt: `php make-ticket.php > ticket-of-200-lines.txt`. It states an
// order of 200 lines with Cyrillic names. The secret is made up.
declare(strict_types=1);

require __DIR__ . '/../../../examples/integrations/backends/sign_order_ticket.php';

$items = [];
for ($line = 1; $line <= 200; $line++) {
    $items[] = [
        'name' => "Стул дубовый с обивкой, цвет «песок», {$line} / 200",
        'sku' => sprintf('СТУЛ-%04d', $line),
        'price' => 12_900 + $line,
        'quantity' => 1,
        'productCategory' => 'Мебель для гостиной',
    ];
}
$total = array_sum(array_column($items, 'price'));
$order = [
    'merchantOrderId' => 'PHP-200',
    'currency' => 'USD',
    'items' => $items,
    'taxAmount' => 0,
    'shippingAmount' => 0,
    'totalAmount' => $total,
];
echo sign_order_ticket($order, 'made-up-secret-of-the-php-fixture-32', 'sandbox');
