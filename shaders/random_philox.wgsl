// Philox 4x32-10: the four words of a counter under a key, bit for bit those of the host.
//
// WGSL has no product of 64 bits: `wide` puts it together from four products of halves. Prepended to what draws.
// Padding: none. Twin: `philox` in src/random/philox.rs. Grid: none, this text has no entry.

fn wide(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let left = (a & 0xffffu) * (b >> 16u);
    let right = (a >> 16u) * (b & 0xffffu);
    let middle = (low >> 16u) + (left & 0xffffu) + (right & 0xffffu);
    return vec2((a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u) + (middle >> 16u), a * b);
}

fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var k = key;
    for (var round = 0u; round < 10u; round++) {
        let x = wide(0xD2511F53u, c.x);
        let y = wide(0xCD9E8D57u, c.z);
        c = vec4(y.x ^ c.y ^ k.x, y.y, x.x ^ c.w ^ k.y, x.y);
        k += vec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}
