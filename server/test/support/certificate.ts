/** Makes certificates for test servers (RFC 5280 §4.1, in DER), so that the repository contains no private key. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import ipaddr from 'ipaddr.js'

/** Makes a self-signed certificate. */
export function makeCertificate(dns_name: string, ...others: readonly string[]): Certificate {
  return certify(dns_name, [dns_name, ...others], null)
}

/** Makes a certificate authority with one certificate for these names, as a company's own would be. */
export function makeAuthority(dns_name: string, ...others: readonly string[]): { ca: string; server: Certificate } {
  const authority = certify('Authority of a test', [], null)
  return { ca: authority.cert, server: certify(dns_name, [dns_name, ...others], { name: 'Authority of a test', key: authority.key }) }
}

interface Certificate {
  key: string
  cert: string
}

function certify(subject: string, alternative_names: readonly string[], issuer: { name: string; key: string } | null): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const extensions = [
    sequence(oid('551d13'), der(0x04, sequence(...(issuer === null ? [der(0x01, Buffer.from([0xff]))] : [])))), // basicConstraints
    ...(alternative_names.length > 0
      ? [sequence(oid('551d11'), der(0x04, sequence(...alternative_names.map(alternativeName))))] // subjectAltName
      : []),
  ]
  const certificate = sequence(
    der(0xa0, integer(2)),
    der(0x02, Buffer.from([1, ...randomBytes(8)])),
    algorithm,
    nameOf(issuer?.name ?? subject),
    sequence(time('20000101000000Z'), time('20991231235959Z')),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', certificate, issuer?.key ?? privateKey)
  const lines =
    sequence(certificate, algorithm, der(0x03, Buffer.from([0]), signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

const nameOf = (common_name: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common_name)))))

/** RFC 5280 §4.2.1.6: a DNS name, or the bytes of an IP address. */
function alternativeName(name: string): Buffer {
  return ipaddr.isValid(name) ? der(0x87, Buffer.from(ipaddr.parse(name).toByteArray())) : der(0x82, Buffer.from(name))
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const integer = (value: number) => der(0x02, Buffer.from([value]))
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const time = (text: string) => der(0x18, Buffer.from(text))
