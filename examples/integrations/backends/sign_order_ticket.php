<?php
// Signs an order ticket with plain PHP 8.1. Any JWT library does the same, such as firebase/php-jwt:
// JWT::encode($claims, $secret, 'HS256').
//   ORDER_TICKET_SECRET=… FINANCING_ENVIRONMENT=sandbox php sign_order_ticket.php < order.json
declare(strict_types=1);

function base64url(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

/** @param array|object $order amounts are integers in the smallest currency unit, such as cents */
function sign_order_ticket(array|object $order, string $secret, string $environment): string
{
    $issued = microtime(true);
    $claims = [
        'aud' => ['financing-companion'],
        'iat' => $issued,
        'exp' => $issued + 1800,
        'jti' => bin2hex(random_bytes(16)),
        'env' => $environment,
        'order' => $order,
    ];
    // PHP writes "ж" as \u0436 and "/" as \/ here. The companion accepts both forms.
    $signed = base64url(json_encode(['typ' => 'JWT', 'alg' => 'HS256'], JSON_THROW_ON_ERROR))
        . '.' . base64url(json_encode($claims, JSON_THROW_ON_ERROR));
    return $signed . '.' . base64url(hash_hmac('sha256', $signed, $secret, true));
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    $order = json_decode(stream_get_contents(STDIN), false, 512, JSON_THROW_ON_ERROR);
    echo sign_order_ticket($order, getenv('ORDER_TICKET_SECRET'), getenv('FINANCING_ENVIRONMENT'));
}
