"""Spanning trees and forests of maps."""
