"""common_names.csv in the engine: the most common given and family names, by which a check finds people in text.

Usage: python common_names.py    (reads names_1990/, the census's lists; the European names stand below)
"""

from __future__ import annotations

import pandas as pd
from common import SAMPLE_DATA

OUT = SAMPLE_DATA.parent / "kanon_engine" / "risk" / "rules" / "common_names.csv"
MOST = {"dist.female.first": 500, "dist.male.first": 400, "dist.all.last": 1_000}
GIVEN = """
    Alfred Andreas Anke Annette Antje Astrid Bernd Bernhard Birgit Birte Björn Brigitte Christoph Claudia Detlef
    Dieter Dietmar Dirk Doris Dörte Eberhard Elke Ernst Erwin Eva Felix Franz Friedrich Fritz Gabriele Georg Gerd
    Gerhard Gisela Gottfried Günter Günther Hannelore Hans Hartmut Heike Heiko Heinrich Heinz Helga Helmut Herbert
    Hermann Holger Horst Ilse Inge Ingrid Jens Johann Johannes Jörg Josef Jürgen Jutta Karin Karl Karsten Katharina
    Katja Katrin Kerstin Klaus Konrad Kurt Lars Lena Leon Lothar Lukas Lutz Manfred Manuela Marcel Markus Marlies
    Matthias Michaela Monika Nadine Niklas Norbert Olaf Otto Petra Rainer Ralf Reinhard Renate Rolf Rüdiger Rudolf
    Sabine Silke Stefan Steffen Susanne Sven Theodor Thorsten Torsten Uwe Ulrich Ulrike Ursula Ute Volker Walter
    Waltraud Werner Wilhelm Winfried Wolfgang Adèle Adrien Alain Amélie Anaïs André Antoine Arnaud Aurélie Baptiste
    Benoît Bernard Brigitte Camille Catherine Cécile Céline Chantal Chloé Christophe Claire Claude Clément Colette
    Delphine Denis Didier Dominique Édouard Élise Élodie Émile Émilie Étienne Fabien Fabrice Florian Francine Franck
    François Françoise Frédéric Gaston Geneviève Georges Gérard Ghislaine Gilles Guillaume Guy Hélène Henri Hervé
    Hugo Isabelle Jacqueline Jacques Jean Jérôme Joël Josette Julien Juliette Laetitia Laurent Laurence Léa Lionel
    Loïc Louis Luc Lucie Ludovic Manon Marc Marcel Margaux Marie Marion Martine Mathieu Maxime Michel Mireille
    Monique Muriel Nathalie Nicolas Odile Olivier Pascal Patrice Philippe Pierre Raymond Régis Rémi Renée René
    Romain Sandrine Sébastien Serge Simone Solange Stéphane Sylvain Sylvie Thérèse Thibault Thierry Valérie
    Véronique Victor Vincent Virginie Xavier Yann Yannick Yves Yvette Yvonne Adriana Agustín Alba Alejandra
    Alejandro Alfonso Álvaro Amparo Ana Andrés Ángel Ángela Antonia Antonio Arturo Beatriz Begoña Blanca Carlos
    Carmen Carolina Catalina César Concepción Consuelo Cristina Diego Dolores Eduardo Elena Emilio Encarnación
    Enrique Ernesto Esperanza Esteban Fátima Felipe Fernanda Fernando Francisca Francisco Gabriela Gerardo Gonzalo
    Guadalupe Guillermo Gustavo Héctor Hugo Ignacio Inés Inmaculada Isabel Ismael Iván Jaime Javier Jesús Joaquín
    Jorge José Josefa Juan Juana Julio Lorenzo Lourdes Lucía Luis Luisa Manuel Marcos María Mariana Mario Marta
    Martín Mateo Mercedes Miguel Mónica Montserrat Natalia Nicolás Nieves Óscar Pablo Paloma Patricio Paula Pedro
    Pilar Purificación Rafael Ramón Raquel Raúl Ricardo Roberto Rocío Rodrigo Rogelio Rosario Rubén Salvador
    Santiago Sergio Silvia Sofía Soledad Susana Tomás Verónica Vicente Víctor Ximena Yolanda Mohammed Muhammad Ahmed
    Ali Fatima Aisha Hassan Hussein Omar Ibrahim Mehmet Ayşe Mustafa Emre Wei Ming Hiroshi Yuki Raj Priya Sanjay
    Amit Anil Sunita Olga Svetlana Dmitri Ivan Natasha Giovanni Giuseppe Luca Giulia Paolo Katarzyna Piotr Agnieszka
    Jan Pieter Anneke Sanne Lars Ingrid Björn Astrid
"""
FAMILY = """
    Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf
    Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Krause Meier Lehmann
    Schmid Schulze Maier Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Scholz Möller Weiß Jung Hahn
    Schubert Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster
    Simon Ludwig Böhm Winter Kraus Martin Schumacher Krämer Vogt Stein Jäger Otto Sommer Groß Seidel Heinrich Brandt
    Haas Schreiber Graf Schulte Dietrich Ziegler Kuhn Kühn Pohl Engel Horn Busch Bergmann Thomas Voigt Sauer Arnold
    Pfeiffer Dubois Durand Leroy Moreau Laurent Lefebvre Lefèvre Roux Fournier Morel Girard Dupont Lambert Bonnet
    Fontaine Rousseau Blanc Guérin Boyer Garnier Chevalier Legrand Gauthier Perrin Clément Morin Dumont Lopez
    Gautier Dupuis García González Rodríguez Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz
    Hernández Díaz Moreno Álvarez Muñoz Romero Alonso Gutiérrez Navarro Torres Domínguez Vázquez Ramos Gil Ramírez
    Serrano Blanco Molina Suárez Ortega Delgado Castro Ortiz Rubio Marín Sanz Núñez Iglesias Medina Garrido Santos
    Castillo Cortés Lozano Khan Hussain Begum Singh Kaur Patel Nguyen Tran Chen Wang Li Zhang Kim Park Yilmaz Kaya
    Demir Ivanov Petrov Rossi Russo Ferrari Esposito Bianchi Kowalski Nowak De Jong Jansen De Vries Van den Berg
    Hansen Johansen Olsen Larsen
"""


def main() -> None:
    kinds = {"dist.female.first": "given", "dist.male.first": "given", "dist.all.last": "family"}
    rows = []
    for file, kind in kinds.items():
        lines = (SAMPLE_DATA / "names_1990" / file).read_text(encoding="ascii").splitlines()
        rows += [(line.split()[0].lower(), kind) for line in lines[: MOST[file]]]
    rows += [(name.lower(), "given") for name in GIVEN.split() if len(name) > 2]
    rows += [(name.lower(), "family") for name in FAMILY.split() if len(name) > 3]
    names = pd.DataFrame(rows, columns=["name", "kind"]).drop_duplicates().sort_values(["kind", "name"])
    names.to_csv(OUT, index=False, lineterminator="\n")
    print(f"written: {names.kind.value_counts().to_dict()}")


if __name__ == "__main__":
    main()
